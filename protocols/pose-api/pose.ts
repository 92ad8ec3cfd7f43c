/**
 * Endpoints of the group Pose data.
 */
import { Schema } from "effect"
import { Identifier } from "../domain/site.ts"
import { endpoint, type ResponseCodec } from "./endpoint.ts"
import { Fraction } from "./fields.ts"
import type { Form } from "./forms.ts"
import { frameText, type MemoFrame } from "./pose-frame.ts"
import type { PoseFilter } from "./pose-json.ts"
import { PoseFrameSchema } from "./pose-schema.ts"

/** A frame, and the options of its request. */
interface PoseAnswer {
  readonly shared: MemoFrame
  readonly filter: PoseFilter
}

const poseCodec = (form: Form): ResponseCodec<PoseAnswer> => ({
  schema: PoseFrameSchema[form],
  text: ({ shared, filter }, nowMs) => frameText(shared, form, filter, nowMs),
})

export const latestPose = endpoint({
  method: "GET",
  path: "/pose/latest",
  group: "Pose data",
  summary: "Get the newest pose frame of an environment, or of all environments",
  access: "read:poses",
  category: "pose-data",
  query: Schema.Struct({
    environment_id: Schema.optionalKey(
      Identifier.annotate({
        description: "Default: all environments. The answer is their newest frame and names its environment.",
      }),
    ),
    min_confidence: Schema.optionalKey(Fraction),
    include_keypoints: Schema.optionalKey(Schema.Boolean.annotate({ default: true })),
    include_3d: Schema.optionalKey(
      Schema.Boolean.annotate({
        default: false,
        description: "Extension: whether persons have `keypoints_3d`.",
      }),
    ),
    include_dense_pose: Schema.optionalKey(
      Schema.Boolean.annotate({
        default: false,
        description: "Extension: whether persons have `dense_pose`, rendered from a body fitted to the keypoints.",
      }),
    ),
  }),
  status: 200,
  response: { bare: poseCodec("bare"), envelope: poseCodec("envelope") },
  failures: ["NoFrames", "UnknownEnvironment", "SystemNotRunning", "ActorUnavailable", "AnswerTimeout"],
})
