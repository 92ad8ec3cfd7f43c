/**
 * The frames that `Poses.GetLatest` and `Poses.Watch` send: those of the environment that a request names, or of all environments.
 */
import { Clock, Effect, Schema, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { latenessOf } from "../../protocols/domain/lateness.ts"
import { Identifier } from "../../protocols/domain/site.ts"
import { withLateness } from "../../protocols/grpc/pose-frame.ts"
import type { EnvironmentRequest, WatchRequest } from "../../protocols/grpc/services.ts"
import { InvalidRequest } from "../../protocols/pose-api/edge-failures.ts"
import type { FrameHistory } from "../../protocols/ports/frame-history.ts"
import { latestOfAll, watchAll } from "../frames/all-environments.ts"
import { EnrolledEnvironments } from "../frames/enrolled-environments.ts"
import { FrameHub } from "../frames/frame-hub.ts"
import { resumeAfter } from "../frames/resumed-frames.ts"
import type { SharedFrame } from "../frames/shared-frame.ts"
import type { CallFailure } from "./status.ts"

/** Encoded frames, each with its lateness at the moment of sending. */
export interface Poses {
  readonly latest: (request: EnvironmentRequest) => Effect.Effect<Uint8Array, CallFailure>
  readonly watch: (request: WatchRequest) => Stream.Stream<Uint8Array, CallFailure>
}

/** Characters of an invalid id that an error message repeats. */
const shownIdCharsMax = 64

const isIdentifier: (text: string) => boolean = Schema.is(Identifier)

/** The bytes of a frame with its lateness now. */
const withLatenessNow = ({ bytes, frame, memo }: SharedFrame): Effect.Effect<Uint8Array> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const lateness = latenessOf(frame, nowMs)
    return memo(`grpc ${lateness}`, () => withLateness(bytes, lateness))
  })

const environmentMissing = InvalidRequest.of(
  "after_frame_id",
  "needs environment_id: frame ids belong to one environment",
)

type Needs = FrameHub | FrameHistory | EnrolledEnvironments | Sharding.Sharding

/** The frames of this node's hub. */
export const makePoses: Effect.Effect<Poses, never, Needs> = Effect.gen(
  function* () {
    const context = yield* Effect.context<Needs>()
    const hub = yield* FrameHub
    const enrolled = yield* EnrolledEnvironments
    const latestFrame = Effect.provide(latestOfAll, context)
    const allFrames = Stream.provide(watchAll, context)
    const checkedId = ({ environmentId }: EnvironmentRequest) =>
      isIdentifier(environmentId) ? Effect.succeed(environmentId) : Effect.flatMap(
        enrolled.ids,
        (ids) => Effect.fail(UnknownEnvironment.among(environmentId.slice(0, shownIdCharsMax), ids)),
      )
    const latest = (request: EnvironmentRequest) =>
      request.environmentId === "" ? latestFrame : Effect.flatMap(checkedId(request), hub.latest)
    const watchOne = (environmentId: string, afterFrameId: number | null) =>
      afterFrameId === null ? hub.watch(environmentId) : Stream.unwrap(Effect.map(
        Effect.provide(resumeAfter(environmentId, afterFrameId), context),
        ({ frames }) => Stream.map(frames, ({ shared }) => shared),
      ))
    const watch = (request: WatchRequest): Stream.Stream<SharedFrame, CallFailure> => {
      const { afterFrameId = null } = request
      if (request.environmentId !== "") {
        return Stream.unwrap(Effect.map(checkedId(request), (id) => watchOne(id, afterFrameId)))
      }
      return afterFrameId === null ? allFrames : Stream.fail(environmentMissing)
    }
    return {
      latest: (request) => Effect.flatMap(latest(request), withLatenessNow),
      watch: (request) => Stream.mapEffect(watch(request), withLatenessNow),
    }
  },
)
