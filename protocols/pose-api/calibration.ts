/**
 * Endpoints of the group Calibration: what the empty room looks like to the routers, and what somebody in it does.
 */
import { Schema } from "effect"
import { Identifier } from "../domain/site.ts"
import { CalibratedRoom, RouterState } from "../messages/router.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Fraction, NullableString } from "./fields.ts"
import { IsoTime, isoTimeOrNull } from "./forms.ts"

const group = "Calibration"

/** How one router's calibration stands. */
export interface RouterCalibration {
  readonly routerId: string
  readonly environmentId: string
  readonly state: typeof RouterState.Type
  readonly version: number
  readonly takenAtMs: number | null
  readonly links: number
  readonly calibratedLinks: number
  readonly twoSidedLinks: number
  readonly stale: string | null
  readonly running: {
    readonly room: typeof CalibratedRoom.Type
    readonly progress: number
    readonly movingShare: number | null
  } | null
}

const codec = jsonCodec(
  Schema.Struct({
    routers: Schema.Array(Schema.Struct({
      router_id: Schema.String,
      environment_id: Schema.String,
      state: RouterState,
      version: Schema.Int.annotate({ description: "Counts the calibrations of the empty room; 0 before the first." }),
      calibration_timestamp: Schema.NullOr(IsoTime),
      links: Schema.Int,
      calibrated_links: Schema.Int,
      two_sided_links: Schema.Int.annotate({
        description: "Links that also know what somebody in the room looks like.",
      }),
      stale_reason: NullableString.annotate({ description: "Why the calibration holds no more; null while it does." }),
      running: Schema.NullOr(Schema.Struct({
        room: CalibratedRoom,
        progress: Fraction,
        moving_share: Schema.NullOr(Fraction).annotate({ description: "Share of its time in which something moved." }),
      })),
    })),
  }),
  (routers: ReadonlyArray<RouterCalibration>) => ({
    routers: routers.map((router) => ({
      router_id: router.routerId,
      environment_id: router.environmentId,
      state: router.state,
      version: router.version,
      calibration_timestamp: isoTimeOrNull(router.takenAtMs),
      links: router.links,
      calibrated_links: router.calibratedLinks,
      two_sided_links: router.twoSidedLinks,
      stale_reason: router.stale,
      running: router.running === null ? null : {
        room: router.running.room,
        progress: Math.min(1, router.running.progress),
        moving_share: router.running.movingShare,
      },
    })),
  }),
)

const EnvironmentId = Schema.optionalKey(Identifier.annotate({ description: "Default: every environment." }))

export const calibrationStatus = endpoint({
  method: "GET",
  path: "/system/calibration",
  group,
  summary: "How the calibration of each router stands",
  access: "read",
  category: "health",
  query: Schema.Struct({ environment_id: EnvironmentId }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: ["UnknownEnvironment", "StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})

export const calibrate = endpoint({
  method: "POST",
  path: "/system/calibration",
  group,
  summary: "Take one side of a calibration: of the empty room first, of the occupied one then",
  access: "control",
  category: "configuration",
  body: {
    schema: Schema.Struct({
      environment_id: EnvironmentId,
      room: Schema.optionalKey(CalibratedRoom.annotate({ default: "empty" })),
      duration_seconds: Schema.optionalKey(
        Schema.Finite.check(Schema.isBetween({ minimum: 10, maximum: 600 })).annotate({ default: 60 }),
      ),
    }),
    required: false,
  },
  status: 202,
  response: { bare: codec, envelope: codec },
  failures: [
    "UnknownEnvironment",
    "ResourceNotFound",
    "RoutersSilent",
    "StoreUnavailable",
    "ActorUnavailable",
    "AnswerTimeout",
  ],
})
