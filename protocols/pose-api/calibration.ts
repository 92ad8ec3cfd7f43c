/**
 * Endpoints of the group Calibration: references of the empty room and of the occupied room.
 */
import { Schema } from "effect"
import { Identifier } from "../domain/site.ts"
import { CalibratedRoom, RouterState } from "../messages/router.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Fraction, NullableString } from "./fields.ts"
import { IsoTime, isoTimeOrNull } from "./forms.ts"

const group = "Calibration"

/** The calibration of one router. */
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
      version: Schema.Int.annotate({ description: "Number of calibrations of the empty room so far." }),
      calibration_timestamp: Schema.NullOr(IsoTime),
      links: Schema.Int,
      calibrated_links: Schema.Int,
      two_sided_links: Schema.Int.annotate({
        description: "Number of links that also have a reference of the occupied room.",
      }),
      stale_reason: NullableString.annotate({
        description: "Why the calibration is no longer valid; null while it is valid.",
      }),
      running: Schema.NullOr(Schema.Struct({
        room: CalibratedRoom,
        progress: Fraction,
        moving_share: Schema.NullOr(Fraction).annotate({
          description: "Fraction of the calibration time with motion, 0 to 1; null before any.",
        }),
      })),
    })),
  }).annotate({ identifier: "Calibrations" }),
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

const EnvironmentId = Schema.optionalKey(
  Identifier.annotate({ description: "The environment. Default: all environments." }),
)

export const calibrationStatus = endpoint({
  method: "GET",
  path: "/system/calibration",
  group,
  summary: "Get the calibration of each router",
  access: "read:system",
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
  summary: "Start a calibration: of the empty room first, then of the occupied room",
  access: "write:configuration",
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
