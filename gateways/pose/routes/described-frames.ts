/**
 * The frames that describe the times of packets which were just sent to the routers of an environment. They are awaited briefly.
 */
import { Effect, Option, Result, Stream } from "effect"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameHub } from "../../frames/frame-hub.ts"
import type { SharedFrame } from "../../frames/shared-frame.ts"
import { storedWithin } from "../../frames/stored-frames.ts"

/** A frame describes the packets of this duration before its own time: the window in which imaging detects persons. */
const windowMs = 1_000
/** A frame is awaited while the environment produces frames at least this often. */
const quietMsMax = 500
/** How long to wait in all for the frames of several packets. */
const waitMsMax = 5_000

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
const noFrameOfMany =
  "There is no frame for this time yet: its packets are too few for a pose, or not processed yet. See GET /pose/history."
const onlyLaterFrames = "The environment's newest frame is later than this packet. See GET /pose/history."

/** The frame that describes the time of a packet, else the reason why there is none. */
export const frameAt = Effect.fnUntraced(function* (environmentId: string, timestampMs: number) {
  const newest = yield* Effect.result((yield* FrameHub).latest(environmentId))
  if (Result.isFailure(newest)) return newest.failure.message
  if (describes(timestampMs)(newest.success)) return newest.success
  const aheadMs = timestampMs - newest.success.frame.timestampMs
  if (aheadMs < 0) return onlyLaterFrames
  if (aheadMs > windowMs) {
    return "The environment's newest frame is earlier than this packet: its router has sent too few packets for a pose."
  }
  return Option.getOrElse(yield* awaited(environmentId, timestampMs, quietMsMax), () => noFrameYet)
})

/** Ascending times in groups. No frame describes times of two groups, so frames between them need not be read. */
const groupsOf = (timesMs: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const groups: Array<Array<number>> = []
  for (const timeMs of timesMs) {
    const group = groups.at(-1)
    if (group !== undefined && timeMs - group.at(-1)! <= windowMs) group.push(timeMs)
    else groups.push([timeMs])
  }
  return groups
}

/** By time, the stored frames that describe ascending times: of each the first one. At most `windowMs` of frames is read for each time. */
const storedAt = Effect.fnUntraced(function* (environmentId: string, timesMs: ReadonlyArray<number>) {
  const history = yield* FrameHistory
  const found = new Map<number, SharedFrame>()
  for (const group of groupsOf(timesMs)) {
    let next = 0
    yield* storedWithin(history, environmentId, group[0]!, group.at(-1)! + windowMs + 1).pipe(
      Stream.runForEach((shared) =>
        Effect.sync(() => {
          for (; next < group.length && group[next]! < shared.frame.timestampMs; next++) {
            if (describes(group[next]!)(shared)) found.set(group[next]!, shared)
          }
        })
      ),
    )
  }
  return found
})

const timeOf = ({ frame }: SharedFrame): number => frame.timestampMs

/** For the times of several packets, the first frame after each, else the reason why there is none. Packets of one hop share a frame. */
export const framesAt = Effect.fnUntraced(function* (environmentId: string, timesMs: ReadonlyArray<number>) {
  const ascending = [...new Set(timesMs)].sort((a, b) => a - b)
  const lastMs = ascending.at(-1)!
  const newest = yield* Effect.result((yield* FrameHub).latest(environmentId))
  if (Result.isFailure(newest) && newest.failure._tag !== "NoFrames") return timesMs.map(() => newest.failure.message)
  let newestMs = Result.isSuccess(newest) ? timeOf(newest.success) : -Infinity
  if (newestMs <= lastMs) {
    newestMs = Option.match(yield* awaited(environmentId, lastMs, waitMsMax), {
      onNone: () => newestMs,
      onSome: timeOf,
    })
  }
  const found = yield* storedAt(environmentId, ascending)
  const latestMs = Math.max(newestMs, ...[...found.values()].map(timeOf))
  return timesMs.map((timeMs) => found.get(timeMs) ?? (timeMs < latestMs ? onlyLaterFrames : noFrameOfMany))
})
