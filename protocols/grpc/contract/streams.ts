/**
 * The gRPC streams that mirror the subscriptions of the WebSocket: their filters and their messages. Each is in the service of its
 * operations.
 */
import { Schema } from "effect"
import { Identifier } from "../../domain/site.ts"
import type { Scope } from "../../domain/identity.ts"
import type { Category } from "../../domain/rate-limit.ts"
import { PoseFrameSchema } from "../../pose-api/pose-schema.ts"
import { AlertBody, AlertFilters } from "../../pose-api/socket-alert.ts"
import { AfterFrameIds, poseFilterFields } from "../../pose-api/socket-messages.ts"

/** Environments that a stream names; a stream that names none covers all. */
const namedMax = 256

/** A request for frames. */
export const WatchPosesRequest = Schema.Struct({
  environment_ids: Schema.optionalKey(
    Schema.Array(Identifier).check(Schema.isMaxLength(namedMax)).annotate({
      description:
        "Empty: all environments, including those that are enrolled later. Each frame names its environment.",
    }),
  ),
  after_frame_ids: Schema.optionalKey(
    AfterFrameIds.annotate({
      description:
        "By environment: the stored frames with a higher frame_id come first, then new ones, without a gap or a repeat. At most the newest 6,000 stored frames are sent.",
    }),
  ),
  ...poseFilterFields,
})

const WatchPosesResponse = Schema.Struct({ pose_frame: PoseFrameSchema.bare })

const WatchAlertsResponse = Schema.Struct({
  alert: AlertBody.bare,
  update: Schema.Boolean.annotate({ description: "The stream has sent an earlier revision of this alert." }),
})

interface StreamMethod {
  readonly service: string
  readonly method: string
  readonly comment: string
  readonly access: Scope
  readonly category: Category
  readonly request: Schema.Constraint
  readonly response: Schema.Constraint
}

/** The streams by method. */
export const streams = {
  WatchPoses: {
    service: "PoseService",
    method: "WatchPoses",
    comment:
      "Every frame from now on, or after a frame id. A slow reader loses the oldest frames first; a gap in frame_id, which counts the frames of one environment, shows the loss.",
    access: "read:poses",
    category: "pose-data",
    request: WatchPosesRequest,
    response: WatchPosesResponse,
  },
  WatchAlerts: {
    service: "EventService",
    method: "WatchAlerts",
    comment: "The alerts that are not cleared, then each new alert and each later revision of a sent one.",
    access: "read:events",
    category: "pose-data",
    request: AlertFilters,
    response: WatchAlertsResponse,
  },
} as const satisfies Readonly<Record<string, StreamMethod>>
