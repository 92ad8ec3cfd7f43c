/**
 * Frames of an environment after a frame id: stored ones first, then live ones.
 *
 * A frame is stored before it is published, so the history has every frame that precedes a live one.
 * Invariants:
 * 1. Frame ids ascend, and each frame is sent once.
 * 2. Until the reader has received all stored frames, no frame is lost: frames that were published meanwhile are read from the history. From
 *    then on a slow reader loses the oldest frames first, as every watcher of the hub does.
 * 3. One page of stored frames is in memory at a time, and at most `storedFramesMax` frames before the newest are sent.
 */
import { Effect, Stream } from "effect"
import type { ActorUnavailable, StoreUnavailable, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { FrameHistory, type ResumePoint } from "../../protocols/ports/frame-history.ts"
import { FrameHub } from "./frame-hub.ts"
import type { SharedFrame } from "./shared-frame.ts"
import { resumePoint, storedBetween, storedFramesMax, storedFrom } from "./stored-frames.ts"

export interface ResumedFrame {
  readonly shared: SharedFrame
  /** The frame comes from the history. The reader sets the pace of such frames. */
  readonly stored: boolean
}

export interface Resumption {
  /** The first frame has a higher id than this. */
  readonly afterFrameId: number
  /** Why this is not the requested id; null if it is. */
  readonly reason: string | null
  readonly frames: Stream.Stream<ResumedFrame, UnknownEnvironment | ActorUnavailable | StoreUnavailable>
}

/** The id after which frames are sent, and the reason if it differs from the requested one. */
const startOf = (point: ResumePoint | null, requested: number): Omit<Resumption, "frames"> => {
  const newest = point?.newestFrameId ?? 0
  if (requested === newest) return { afterFrameId: requested, reason: null }
  if (requested > newest) {
    const reason =
      `Frame ${requested} is not known: the newest frame is ${newest}. The stream continues with live frames.`
    return { afterFrameId: newest, reason }
  }
  const first = point?.first?.frameId ?? newest + 1
  if (first === requested + 1) return { afterFrameId: requested, reason: null }
  const reason = newest - requested > storedFramesMax
    ? `A stream resumes at most ${storedFramesMax} frames before the newest. Request older frames from the history.`
    : `The frames ${requested + 1} to ${first - 1} are no longer stored.`
  return { afterFrameId: first - 1, reason }
}

/** Frames after a frame id. Fails with `StoreUnavailable` if the history cannot be read; the stream fails likewise. */
export const resumeAfter = Effect.fnUntraced(function* (
  environmentId: string,
  requested: number,
): Effect.fn.Return<Resumption, StoreUnavailable, FrameHub | FrameHistory> {
  const hub = yield* FrameHub
  const history = yield* FrameHistory
  const point = yield* resumePoint(history, environmentId, requested)
  const { afterFrameId, reason } = startOf(point, requested)

  const frames = Stream.suspend(() => {
    let lastId = afterFrameId
    let behind = true
    const send = (shared: SharedFrame, stored: boolean): Stream.Stream<ResumedFrame> =>
      Stream.suspend(() => {
        if (shared.frame.frameId <= lastId) return Stream.empty
        lastId = shared.frame.frameId
        return Stream.succeed({ shared, stored })
      })
    const sendStored = Stream.flatMap((shared: SharedFrame) => send(shared, true))
    const sendLive = (shared: SharedFrame) => {
      const { frameId } = shared.frame
      if (!behind) return send(shared, false)
      if (frameId > lastId + 1) {
        return Stream.concat(sendStored(storedBetween(history, environmentId, lastId, frameId)), send(shared, true))
      }
      behind = frameId <= lastId
      return send(shared, false)
    }
    const first = point?.first ? storedFrom(history, environmentId, point.first) : Stream.empty
    return Stream.concat(sendStored(first), Stream.flatMap(hub.watch(environmentId), sendLive))
  })
  return { afterFrameId, reason, frames }
})
