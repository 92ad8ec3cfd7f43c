/**
 * Stored frames of one environment, after a frame id or within a time, in pages of bounded size and in the form in which live frames are
 * shared.
 */
import { Effect, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { FrameHistory, FramePosition, FrameRange, ResumePoint } from "../../protocols/ports/frame-history.ts"
import { type SharedFrame, shareStored } from "./shared-frame.ts"

/** Stored frames that one stream reads at most, counted from the newest: 10 minutes at 10 frames per second. */
export const storedFramesMax = 6_000
/** Frames that are read and decoded at a time. */
const pageFrames = 100

type History = FrameHistory["Service"]
type StoredFrames = Stream.Stream<SharedFrame, StoreUnavailable>

/** The first of the stored frames after a frame id; null while the environment has no frame. */
export const resumePoint = (
  history: History,
  environmentId: string,
  afterFrameId: number,
  framesMax = storedFramesMax,
): Effect.Effect<ResumePoint | null, StoreUnavailable> =>
  history.resumePoint({ environmentId, afterFrameId, framesMax })

/** The stored frames of a range after a position (null: from its begin), oldest first. A page is read when its first frame is requested. */
const storedIn = (history: History, range: FrameRange, start: FramePosition | null): StoredFrames =>
  Stream.paginate(
    start,
    (after) =>
      Effect.map(
        history.frames({
          range,
          filter: { personId: null, minConfidence: 0 },
          newestFirst: false,
          after,
          limit: pageFrames,
          counted: false,
        }),
        ({ frames, next }) => [frames, Option.fromNullishOr(next)] as const,
      ),
  ).pipe(Stream.rechunk(1), Stream.map(shareStored))

/** The stored frames of an environment from this position on. */
export const storedFrom = (
  history: History,
  environmentId: string,
  { frameId, timestampUs }: FramePosition,
): StoredFrames =>
  storedIn(
    history,
    { environmentId, fromMs: null, toMs: null },
    { timestampUs, environmentId: null, frameId: frameId - 1 },
  )

/** The stored frames of an environment within a time: from `fromMs` on, before `toMs`. */
export const storedWithin = (history: History, environmentId: string, fromMs: number, toMs: number): StoredFrames =>
  storedIn(history, { environmentId, fromMs, toMs }, null)

/** The stored frames between two frame ids, both excluded; only those among the newest `framesMax`. */
export const storedBetween = (
  history: History,
  environmentId: string,
  afterFrameId: number,
  beforeFrameId: number,
  framesMax = storedFramesMax,
): StoredFrames =>
  Stream.unwrap(Effect.map(
    resumePoint(history, environmentId, afterFrameId, framesMax),
    (point) => point?.first ? storedFrom(history, environmentId, point.first) : Stream.empty,
  )).pipe(Stream.takeWhile(({ frame }) => frame.frameId < beforeFrameId))
