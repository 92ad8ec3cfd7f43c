/**
 * A scenario: what is simulated, as data.
 *
 * Owns the schema of `sim/scenarios/*.json` and its checks. Boundary: `simulation.ts` runs it.
 */
import { Effect, Schema } from "effect"
import type { SiteGeometry } from "../core/imaging/geometry.ts"
import { Identifier, RadioNode } from "../protocols/domain/site.ts"
import { type MaterialName, materialNames } from "./rooms/room.ts"

const between = (minimum: number, maximum: number) => Schema.Number.check(Schema.isBetween({ minimum, maximum }))
const countUpTo = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Material = Schema.Literals(materialNames as ReadonlyArray<MaterialName>)

const Room = Schema.Struct({
  /** x, y, z extents in metres; the origin is a corner of the floor. */
  size: Schema.Tuple([between(2, 30), between(2, 30), between(2, 10)]),
  walls: Material,
  floor: Material,
  ceiling: Material,
  furniture: countUpTo(0, 50),
})

const Radio = Schema.Struct({
  centerFrequencyHz: between(2e9, 7.2e9),
  /** 20 MHz has 56 subcarriers, 40 MHz has 114. */
  bandwidthMhz: Schema.Literals([20, 40]),
  receiveAntennas: countUpTo(1, 4),
  /** Packets that each node transmits in a second; every other node receives each of them. */
  packetRateHz: between(1, 500),
  transmitPowerDbm: between(-20, 30),
})

const Body = Schema.Struct({
  heightM: between(1, 2.2),
  walkingSpeedMps: between(0.2, 2),
  /** Shortest and longest pause at a way point, seconds. */
  pauseS: Schema.Tuple([between(0, 600), between(0, 600)]),
})

const Impairments = Schema.Struct({
  timingSigmaNs: between(0, 200),
  gainJitterDb: between(0, 3),
  gainStepDb: between(0, 6),
  gainStepSeconds: between(0.1, 3600),
  snrDb: between(0, 60),
  antennaPhaseSigmaRad: between(0, 4),
  rippleDb: between(0, 3),
  rippleRad: between(0, 1),
  jitterMs: between(0, 20),
  lossRate: between(0, 0.9),
  /** Mean length of a burst of lost packets. */
  burstPackets: between(1, 100),
})

const ScenarioFields = Schema.Struct({
  scenarioId: Identifier,
  room: Room,
  nodes: Schema.Array(RadioNode).check(Schema.isMinLength(2), Schema.isMaxLength(64)),
  radio: Radio,
  /** Bodies that walk in once the empty phase is over; none leaves the room empty for ever. */
  bodies: Schema.Array(Body).check(Schema.isMaxLength(8)),
  /** How long the room stays empty at first, so that routers can calibrate. */
  emptySeconds: between(0, 3600),
  impairments: Impairments,
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type Scenario = typeof ScenarioFields.Type

/** A scenario that cannot be simulated; the message names the field and what it should be. */
export class InvalidScenario extends Schema.TaggedError<InvalidScenario>()("InvalidScenario", {
  message: Schema.String,
}) {}

const inconsistency = (scenario: Scenario): string | null => {
  const ids = new Set<string>()
  for (const { nodeId, position, arrayAxis } of scenario.nodes) {
    if (ids.has(nodeId)) return `nodes: "${nodeId}" occurs twice; give every node an id of its own.`
    ids.add(nodeId)
    if (position.some((value, axis) => value < 0 || value > scenario.room.size[axis]!)) {
      return `nodes: "${nodeId}" at [${position.join(", ")}] is outside the room of [${
        scenario.room.size.join(", ")
      }] m.`
    }
    const norm = Math.hypot(...arrayAxis)
    if (Math.abs(norm - 1) > 0.01) return `nodes: the arrayAxis of "${nodeId}" has length ${norm}; it must be 1.`
  }
  for (const [i, a] of scenario.nodes.entries()) {
    const near = scenario.nodes.slice(0, i).find((b) =>
      Math.hypot(...a.position.map((value, axis) => value - b.position[axis]!)) < 0.3
    )
    if (near !== undefined) return `nodes: "${a.nodeId}" is nearer than 0.3 m to "${near.nodeId}"; move one of them.`
  }
  const late = scenario.bodies.findIndex(({ pauseS }) => pauseS[0] > pauseS[1])
  if (late >= 0) return `bodies[${late}].pauseS: the shortest pause is longer than the longest; swap them.`
  return null
}

/** Reads a scenario from parsed JSON. */
export const decodeScenario = (input: unknown): Effect.Effect<Scenario, InvalidScenario> =>
  Schema.decodeUnknownEffect(ScenarioFields)(input).pipe(
    Effect.mapError((error) => new InvalidScenario({ message: `The scenario does not fit: ${error.message}` })),
    Effect.flatMap((scenario) => {
      const message = inconsistency(scenario)
      return message === null ? Effect.succeed(scenario) : Effect.fail(new InvalidScenario({ message }))
    }),
  )

/** The geometry that an environment needs to image this scenario. */
export const geometryOf = (scenario: Scenario): SiteGeometry => ({ size: scenario.room.size, nodes: scenario.nodes })
