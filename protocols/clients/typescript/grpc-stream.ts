/**
 * Pose frames over gRPC, with every frame once and in order although connections fail.
 *
 * Invariants: after a lost stream, the next one continues after the last frame of each environment that was seen. A slow reader slows the
 * stream down; frames that the service then drops are fetched from the history.
 */
import { identitiesOf, type Identity } from "./credentials.ts"
import { grpcClientOf, type GrpcOptions } from "./grpc-client.ts"
import type { PoseFrame, WatchPosesRequest } from "./generated/grpc.ts"
import { reconnecting, type RetryOptions } from "./reconnect.ts"

/** Filters of a stream; `environment_ids` is empty for all environments. */
export type GrpcPoseFilters = Partial<WatchPosesRequest>

/** The frames of one call after the last ones seen; ends when the call does, or before a frame that does not follow. */
async function* framesOf(
  calls: AsyncGenerator<{ readonly pose_frame: PoseFrame | null }>,
  seen: Map<string, number>,
  resumed: ReadonlySet<string>,
): AsyncGenerator<PoseFrame, void> {
  const begun = new Set<string>()
  for await (const { pose_frame: frame } of calls) {
    const environmentId = frame!.metadata!.environment_id
    const last = seen.get(environmentId)
    if (last !== undefined && frame!.frame_id <= last) continue
    // The first frame of a resumed stream may follow a gap: the history holds no more.
    const isFirst = !begun.has(environmentId) && resumed.has(environmentId)
    if (last !== undefined && frame!.frame_id > last + 1 && !isFirst) return
    begun.add(environmentId)
    seen.set(environmentId, frame!.frame_id)
    yield frame!
  }
}

/**
 * The pose frames of some environments, or of all. The iterator ends when `signal` is aborted, and throws a `WaveposeError` if the service
 * rejects the credentials or the filters; every other failure leads to another attempt.
 */
export const grpcPoseStream = (
  options: GrpcOptions,
  filters: GrpcPoseFilters = {},
  stream: RetryOptions = {},
): AsyncGenerator<PoseFrame, void> => {
  const seen = new Map(Object.entries(filters.after_frame_ids ?? {}))
  const identities = identitiesOf(options)
  let identity: Identity = {}
  return reconnecting(
    async function* () {
      identity = await identities.next()
      const client = grpcClientOf(options, { ...identities, next: () => Promise.resolve(identity) })
      const request = { ...filters, after_frame_ids: Object.fromEntries(seen) }
      const { signal } = stream
      try {
        yield* framesOf(
          client.PoseService.WatchPoses(
            request,
            signal === undefined ? {} : { signal },
          ),
          seen,
          new Set(seen.keys()),
        )
      } finally {
        client.close()
      }
    },
    () => identities.reject(identity),
    stream,
  )
}
