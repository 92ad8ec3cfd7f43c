/**
 * Handlers of the group Pose data.
 */
import { Effect } from "effect"
import { latestPose } from "../../protocols/http/pose.ts"
import { FrameHub } from "../frames/frame-hub.ts"
import { currentEnvironment } from "./current-environment.ts"
import { route } from "./route.ts"

/** Made once: it is on the hot path. */
const current = currentEnvironment()

export const poseRoutes = [
  // On the hot path: `fnUntraced`, see `respond.ts`.
  route(
    latestPose,
    Effect.fnUntraced(function* ({ query }) {
      const environmentId = query.environment_id ?? (yield* current)
      const shared = yield* (yield* FrameHub).latest(environmentId)
      return {
        shared,
        filter: {
          minConfidence: query.min_confidence ?? 0,
          personIds: null,
          includeKeypoints: query.include_keypoints ?? true,
          include3d: query.include_3d ?? false,
          includeDensePose: query.include_dense_pose ?? false,
        },
      }
    }),
  ),
]
