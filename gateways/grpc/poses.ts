/**
 * `PoseService.WatchPoses`: the frames of the named environments, or of all, through a filter.
 */
import { Clock, Effect, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { WatchPosesRequest } from "../../protocols/grpc/contract/streams.ts"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { InvalidRequest } from "../../protocols/pose-api/edge-failures.ts"
import { reader } from "../../protocols/pose-api/input.ts"
import { poseFilterOf } from "../../protocols/pose-api/socket-messages.ts"
import type { Directory } from "../../protocols/ports/directory.ts"
import { FrameHistory } from "../../protocols/ports/frame-history.ts"
import { watchAll } from "../frames/all-environments.ts"
import { EnrolledEnvironments } from "../frames/enrolled-environments.ts"
import { FrameHub } from "../frames/frame-hub.ts"
import { resumeAfter } from "../frames/resumed-frames.ts"
import type { SharedFrame } from "../frames/shared-frame.ts"
import { storedBetween } from "../frames/stored-frames.ts"
import { environmentAsked } from "../pose/routes/environment-asked.ts"
import { readRequest } from "./calls.ts"
import { makeFrameEncoder } from "./frame-message.ts"
import type { CallFailure } from "./status.ts"

type Needs = Directory | FrameHub | FrameHistory | EnrolledEnvironments | Sharding.Sharding

const readWatch = reader(WatchPosesRequest, { whole: "request" })

/** The frames of one environment, after a frame id or from now on. */
const watchOne = (environmentId: string, afterFrameId: number | undefined) =>
  Stream.unwrap(Effect.gen(function* () {
    if (afterFrameId === undefined) return (yield* FrameHub).watch(environmentId)
    const { frames } = yield* resumeAfter(environmentId, afterFrameId)
    return Stream.map(frames, ({ shared }) => shared)
  }))

/**
 * The frames of all environments; those of some after a frame id. An environment that does not exist has none. If it is enrolled later or
 * again, it continues after its last frame.
 */
const watchAllAfter = Effect.fnUntraced(function* (after: Readonly<Record<string, number>>) {
  const history = yield* FrameHistory
  const enrolled = new Set(yield* (yield* EnrolledEnvironments).ids)
  const resumed = new Map(Object.entries(after).filter(([id]) => enrolled.has(id)))
  const absent = new Map(Object.entries(after).filter(([id]) => !enrolled.has(id)))
  const resume = ([environmentId, afterFrameId]: readonly [string, number]) =>
    watchOne(environmentId, afterFrameId).pipe(
      Stream.tap(({ frame }) => Effect.sync(() => resumed.set(environmentId, frame.frameId))),
      Stream.catchTag("UnknownEnvironment", () => {
        absent.set(environmentId, resumed.get(environmentId)!)
        resumed.delete(environmentId)
        return Stream.empty
      }),
    )
  const continueAbsent = (shared: SharedFrame): Stream.Stream<SharedFrame, StoreUnavailable> => {
    const { environmentId, frameId } = shared.frame
    const last = absent.get(environmentId)
    if (last === undefined) return Stream.succeed(shared)
    if (frameId <= last) return Stream.empty
    absent.delete(environmentId)
    return Stream.concat(storedBetween(history, environmentId, last, frameId), Stream.succeed(shared))
  }
  const others = watchAll.pipe(
    Stream.filter(({ frame }) => !resumed.has(frame.environmentId)),
    Stream.flatMap(continueAbsent),
  )
  const missed = Stream.flatMap(Stream.fromIterable([...resumed]), resume, { concurrency: "unbounded" })
  return Stream.merge(others, missed)
})

/** The frames that a request asks for. */
const framesOf = (
  { after_frame_ids: after = {}, environment_ids: ids = [] }: typeof WatchPosesRequest.Type,
): Stream.Stream<SharedFrame, CallFailure, Needs> =>
  Stream.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Stream.Stream<SharedFrame, CallFailure, Needs>, CallFailure, Needs> {
      if (ids.length === 0) return Object.keys(after).length === 0 ? watchAll : yield* watchAllAfter(after)
      const stray = Object.keys(after).find((id) => !ids.includes(id))
      if (stray !== undefined) {
        return yield* InvalidRequest.of(
          "after_frame_ids",
          "names an environment that environment_ids does not name",
          stray,
        )
      }
      const known = yield* Effect.forEach(new Set(ids), (id) => Effect.as(environmentAsked(id), id))
      return Stream.flatMap(Stream.fromIterable(known), (id) => watchOne(id, after[id]), { concurrency: "unbounded" })
    }),
  )

/** The field `pose_frame` of the response. */
const frameField = 1

/** The encoded answers to an encoded request. */
export type WatchPoses = (request: Uint8Array) => Stream.Stream<Uint8Array, CallFailure>

export const makeWatchPoses: Effect.Effect<WatchPoses, never, Needs> = Effect.gen(function* () {
  const services = yield* Effect.context<Needs>()
  const request = codecOf("WatchPosesRequest")
  return (bytes) =>
    Stream.unwrap(Effect.gen(function* () {
      const asked = yield* Effect.fromResult(readWatch(yield* readRequest(request.decode, bytes)))
      const encode = makeFrameEncoder(frameField, poseFilterOf(asked))
      return Stream.mapEffect(
        framesOf(asked),
        (shared) => Effect.map(Clock.currentTimeMillis, (nowMs) => encode(shared, nowMs)),
      )
    })).pipe(Stream.provide(services))
})
