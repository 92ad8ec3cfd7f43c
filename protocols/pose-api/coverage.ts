/**
 * Endpoints of the group Environments that simulate the coverage of a plan: the expected error of the location, square by square.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { Identifier } from "../domain/site.ts"
import type { CoverageJob, CoverageResult } from "../ports/coverage-simulations.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Geometry } from "./environment-changes.ts"
import { environmentsGroup as group } from "./environments.ts"
import { Count, Fraction, NullableFinite, NullableString } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

/** One link is a simulation; more nodes than this would take too long. */
export const simulatedNodes = { minimum: 2, maximum: 16 } as const
const candidatesMax = 3
const antennasMax = 4

const Position = Schema.Struct({ x: Schema.Finite, y: Schema.Finite, z: Schema.Finite })

const Place = Position.annotate({ description: "Metres from the corner of the floor plan." })

const ErrorM = NullableFinite.annotate({
  description: "Median distance on the floor between estimate and truth, metres; null with too few estimates.",
})
const MissedShare = Schema.NullOr(Fraction).annotate({
  description: "Share of the time in which no person was located within 1.5 m; null if no person walked there.",
})

const ResultBody = Schema.Struct({
  source: Schema.Literal("simulated"),
  square_m: Schema.Finite.annotate({ description: "Edge of a square, metres." }),
  squares: Schema.Array(Schema.Struct({
    x: Schema.Finite.annotate({ description: "Middle of the square, metres from the corner of the floor plan." }),
    y: Schema.Finite.annotate({ description: "As `x`, along the depth of the room." }),
    error_m: ErrorM,
    missed_share: MissedShare,
    moments: Count.annotate({ description: "Moments of 100 ms that the figures are from." }),
  })).annotate({ description: "The floor, square by square." }),
  error_m: ErrorM,
  missed_share: MissedShare,
  moments: Count.annotate({ description: "Moments of 100 ms in all squares." }),
  candidates: Schema.Array(Schema.Struct({ position: Place, error_m: ErrorM, missed_share: MissedShare })).annotate({
    description: "The figures of the whole room with one more node at each place.",
  }),
})

export const CoverageBody = Schema.Struct({
  environment_id: Schema.String,
  started_at: IsoTime,
  antennas: Count.annotate({ description: "Receive antennas of each simulated node." }),
  state: Schema.Literals(["running", "done", "failed"]).annotate({ description: "What became of the simulation." }),
  progress: Fraction.annotate({ description: "Share of the simulation that is done." }),
  failure: NullableString.annotate({ description: "Why it failed; null if it did not." }),
  result: Schema.NullOr(ResultBody).annotate({ description: "The figures; null until it is done." }),
}).annotate({ identifier: "Coverage" })

const resultBody = (result: CoverageResult): typeof ResultBody.Type => ({
  source: "simulated",
  square_m: result.squareM,
  squares: result.squares.map(({ errorM, missedShare, moments, x, y }) => ({
    x,
    y,
    error_m: errorM,
    missed_share: missedShare,
    moments,
  })),
  error_m: result.errorM,
  missed_share: result.missedShare,
  moments: result.moments,
  candidates: result.candidates.map(({ errorM, missedShare, position: [x, y, z] }) => ({
    position: { x, y, z },
    error_m: errorM,
    missed_share: missedShare,
  })),
})

const codec = jsonCodec(CoverageBody, ({ outcome, request, startedAtMs }: CoverageJob) => ({
  environment_id: request.environmentId,
  started_at: isoTime(startedAtMs),
  antennas: request.antennas,
  state: outcome.state,
  progress: outcome.state === "running" ? outcome.progress : 1,
  failure: outcome.state === "failed" ? outcome.reason : null,
  result: outcome.state === "done" ? resultBody(outcome.result) : null,
}))

const params = Schema.Struct({ environment_id: Identifier })

export const simulateCoverage = endpoint({
  method: "POST",
  path: "/environments/{environment_id}/coverage",
  rules: [requestRules.geometry, `there are ${simulatedNodes.minimum} to ${simulatedNodes.maximum} nodes`],
  group,
  summary:
    "Simulate the coverage of a plan, by default that of the environment, on the answering node, which does one at a time",
  access: "write:configuration",
  category: "pose-processing",
  params,
  body: {
    schema: Schema.Struct({
      geometry: Schema.optionalKey(Geometry),
      antennas: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: antennasMax })).annotate({
          default: 3,
          description: "Receive antennas of each node. With one, persons are not located.",
        }),
      ),
      candidates: Schema.optionalKey(
        Schema.Array(Position).check(Schema.isMaxLength(candidatesMax)).annotate({
          description: "Places for one more node. Each is a simulation more.",
        }),
      ),
    }),
    required: false,
  },
  status: 202,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "SystemConflict", "StoreUnavailable"],
})

export const readCoverage = endpoint({
  method: "GET",
  path: "/environments/{environment_id}/coverage",
  group,
  summary: "The newest simulation of an environment's coverage on the answering node",
  access: "read:system",
  category: "health",
  params,
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["ResourceNotFound"],
})
