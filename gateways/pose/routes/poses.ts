/**
 * Handlers of the group Pose data.
 */
import { Effect } from "effect"
import { latestPose } from "../../../protocols/pose-api/pose.ts"
import { latestOfAll } from "../../frames/all-environments.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import { route } from "../server/route.ts"

export const poseRoutes = [
  // On the hot path: `fnUntraced`, see `respond.ts`.
  route(
    latestPose,
    Effect.fnUntraced(function* ({ query }) {
      const named = query.environment_id
      const shared = yield* (named === undefined ? latestOfAll : (yield* FrameHub).latest(named))
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
