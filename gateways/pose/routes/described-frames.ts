/**
 * The frames that describe the times of packets which were just sent to the routers of an environment. They are awaited briefly.
 */
import { Effect, Option, Result, Stream } from "effect"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import { type SharedFrame, shareStored } from "../../frames/shared-frame.ts"

/** A frame describes the packets of this duration before its own time: the window in which imaging detects persons. */
const windowMs = 1_000
/** A frame is awaited while the environment produces frames at least this often. */
const quietMsMax = 500
/** How long to wait in all for the frames of several packets. */
const waitMsMax = 5_000
/** Frames of one answer and environment: half a minute. */
const framesMax = 300

const describes = (timestampMs: number) => ({ frame }: SharedFrame): boolean =>
  timestampMs < frame.timestampMs && timestampMs >= frame.timestampMs - windowMs

/** The first live frame that describes this time, if it comes soon enough. */
const awaited = Effect.fnUntraced(function* (environmentId: string, timestampMs: number, msMax: number) {
  const hub = yield* FrameHub
  return yield* hub.watch(environmentId).pipe(
    Stream.timeout(quietMsMax),
    Stream.filter(describes(timestampMs)),
    Stream.runHead,
    Effect.timeoutOption(msMax),
    Effect.map(Option.flatten),
    Effect.catch(() => Effect.succeed(Option.none<SharedFrame>())),
  )
})

const noFrameYet =
  "There is no frame for this time yet: one packet is not enough for a pose, and no later packet has arrived."

/** The frame that describes the time of a packet, else the reason why there is none. */
export const frameAt = Effect.fnUntraced(function* (environmentId: string, timestampMs: number) {
  const newest = yield* Effect.result((yield* FrameHub).latest(environmentId))
  if (Result.isFailure(newest)) return newest.failure.message
  if (describes(timestampMs)(newest.success)) return newest.success
  const aheadMs = timestampMs - newest.success.frame.timestampMs
  if (aheadMs < 0) return "The environment's newest frame is later than this packet. See GET /pose/history."
  if (aheadMs > windowMs) {
    return "The environment's newest frame is earlier than this packet: its router has sent too few packets for a pose."
  }
  return Option.getOrElse(yield* awaited(environmentId, timestampMs, quietMsMax), () => noFrameYet)
})

/** For the times of several packets, the first frame after each. Packets of one hop share a frame. */
export const framesAt = Effect.fnUntraced(function* (environmentId: string, timesMs: ReadonlyArray<number>) {
  const lastMs = Math.max(...timesMs)
  const newest = yield* Effect.result((yield* FrameHub).latest(environmentId))
  if (Result.isFailure(newest) && newest.failure._tag !== "NoFrames") return timesMs.map(() => newest.failure.message)
  if (Result.isFailure(newest) || newest.success.frame.timestampMs <= lastMs) {
    yield* awaited(environmentId, lastMs, waitMsMax)
  }
  const history = yield* FrameHistory
  const { frames } = yield* history.frames({
    range: { environmentId, fromMs: Math.min(...timesMs), toMs: lastMs + windowMs + 1 },
    filter: { personId: null, minConfidence: 0 },
    newestFirst: false,
    after: null,
    limit: framesMax,
    counted: false,
  })
  const shared = frames.map(shareStored)
  return timesMs.map((timestampMs) => shared.find(describes(timestampMs)) ?? noFrameYet)
})
