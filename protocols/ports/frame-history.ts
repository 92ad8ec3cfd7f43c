/**
 * The history of frames: the port through which edges read stored frames. The store implements it.
 *
 * Frames are ordered by (time, environment, id). Paging by position is stable: a client that continues after the position of the
 * last frame of its page gets each frame of the range once, although newer frames are appended meanwhile.
 */
import { Context, Data, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Person, PoseFrame } from "../domain/pose.ts"

/** A range of time: `fromMs` inclusive, `toMs` exclusive; null: no limit. Milliseconds since the Unix epoch. */
export interface FrameRange {
  /** Null: all active environments with frames. */
  readonly environmentId: string | null
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** Selects persons: with this id (null: all), and at least this confidence. */
export interface PersonFilter {
  readonly personId: number | null
  readonly minConfidence: number
}

/** A count, or the reason why it was not counted. */
export type Total =
  | { readonly count: number; readonly reason: null }
  | { readonly count: null; readonly reason: string }

/** The position of a frame: its time in microseconds since the Unix epoch, its environment and its id. */
export interface FramePosition {
  readonly timestampUs: number
  /** Null if the range names the environment. */
  readonly environmentId: string | null
  readonly frameId: number
}

export interface FramesRequest {
  readonly range: FrameRange
  /** Without a filter every frame is returned, also without persons; with one, only frames with a matching person. */
  readonly filter: PersonFilter
  readonly newestFirst: boolean
  /** The end of the previous page; null for the first one. */
  readonly after: FramePosition | null
  readonly limit: number
  /** Whether to count the total. */
  readonly counted: boolean
}

export interface FramesPage {
  readonly frames: ReadonlyArray<PoseFrame>
  /** The position for the next page; null at the end. A page can be shorter than its limit although another follows. */
  readonly next: FramePosition | null
  readonly total: Total | null
}

/** The start of the frames of an environment after a frame id. */
export interface ResumeRequest {
  readonly environmentId: string
  readonly afterFrameId: number
  /** At most this many of the newest frames are covered. */
  readonly framesMax: number
}

export interface ResumePoint {
  /** The newest frame that was stored, even if it was deleted since. */
  readonly newestFrameId: number
  /** The first stored frame after the requested id; null if there is none. */
  readonly first: FramePosition | null
}

export interface PersonsRequest {
  readonly range: FrameRange
  readonly filter: PersonFilter
  /** Entries to skip before the first one. */
  readonly offset: number
  readonly limit: number
}

/** A person in a frame. */
export interface PersonEntry {
  readonly frame: PoseFrame
  /** Null: the whole range has no person, and its entries are its frames. */
  readonly person: Person | null
}

export interface PersonsPage {
  readonly entries: ReadonlyArray<PersonEntry>
  readonly hasMore: boolean
  readonly total: Total
}

/** The request would read more frames than the limit allows. */
export class TooManyFrames extends Data.TaggedError("TooManyFrames")<{ readonly framesMax: number }> {
  override get message(): string {
    return `asks for more than the ${this.framesMax} stored frames that one request may read through; ask for less time`
  }
}

export class FrameHistory extends Context.Service<FrameHistory, {
  /** Times of the first and last frame of an environment, or (null) of all active ones; null without frames. */
  readonly available: (
    environmentId: string | null,
  ) => Effect.Effect<{ readonly firstMs: number; readonly lastMs: number } | null, StoreUnavailable>
  /** Whether the range contains a frame. */
  readonly has: (range: FrameRange) => Effect.Effect<boolean, StoreUnavailable>
  /** The start of the frames after a frame id; null while the environment has no frame. */
  readonly resumePoint: (request: ResumeRequest) => Effect.Effect<ResumePoint | null, StoreUnavailable>
  readonly frames: (request: FramesRequest) => Effect.Effect<FramesPage, StoreUnavailable>
  /**
   * Persons in the order of their frames, oldest first. Without a filter, a range without any person has its frames as entries, so that the
   * history of a site that measures presence alone can be read.
   */
  readonly persons: (request: PersonsRequest) => Effect.Effect<PersonsPage, StoreUnavailable | TooManyFrames>
}>()("wavepose/protocols/FrameHistory") {}
