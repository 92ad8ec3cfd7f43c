/**
 * The history of frames: the port through which edges read what was stored. The store answers it.
 *
 * Frames are in the order of (time, environment, id). A walk by position is stable: a client that goes on after the position of the
 * last frame of its page gets each frame of the range once, whatever is appended meanwhile at the newer end.
 */
import { Context, Data, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Person, PoseFrame } from "../domain/pose.ts"

/** Frames of a time; `fromMs` included, `toMs` not, null without a limit. Milliseconds since the Unix epoch. */
export interface FrameRange {
  /** Null: all active environments that have frames. */
  readonly environmentId: string | null
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** Which persons are meant: of this id (null: everybody), and no less sure than this. */
export interface PersonFilter {
  readonly personId: number | null
  readonly minConfidence: number
}

/** A count, or why it was not counted. */
export type Total =
  | { readonly count: number; readonly reason: null }
  | { readonly count: null; readonly reason: string }

/** Where a frame stands: its time in microseconds since the Unix epoch, its environment and its id. */
export interface FramePosition {
  readonly timestampUs: number
  /** Null where the range names the environment. */
  readonly environmentId: string | null
  readonly frameId: number
}

export interface FramesRequest {
  readonly range: FrameRange
  /** Without a person every frame counts, also one with nobody in it; with one, those alone in which that person passes. */
  readonly filter: PersonFilter
  readonly newestFirst: boolean
  /** Where the page before ended; null for the first one. */
  readonly after: FramePosition | null
  readonly limit: number
  /** Whether the total is wanted. */
  readonly counted: boolean
}

export interface FramesPage {
  readonly frames: ReadonlyArray<PoseFrame>
  /** Where to go on; null when nothing follows. A page may be short of its limit and still be followed by another. */
  readonly next: FramePosition | null
  readonly total: Total | null
}

/** From where the frames of an environment after a frame id are read. */
export interface ResumeRequest {
  readonly environmentId: string
  readonly afterFrameId: number
  /** At most this many of the newest frames are covered. */
  readonly framesMax: number
}

export interface ResumePoint {
  /** The newest frame that was stored, also if it was deleted since. */
  readonly newestFrameId: number
  /** The first stored frame after the requested id; null when none is stored. */
  readonly first: FramePosition | null
}

export interface PersonsRequest {
  readonly range: FrameRange
  readonly filter: PersonFilter
  /** Entries to leave out before the first one. */
  readonly offset: number
  readonly limit: number
}

/** A person in a frame. */
export interface PersonEntry {
  readonly frame: PoseFrame
  readonly person: Person
}

export interface PersonsPage {
  readonly entries: ReadonlyArray<PersonEntry>
  readonly hasMore: boolean
  readonly total: Total
}

/** More frames would have to be read than one request may. */
export class TooManyFrames extends Data.TaggedError("TooManyFrames")<{ readonly framesMax: number }> {
  override get message(): string {
    return `asks for more than the ${this.framesMax} stored frames that one request may read through; ask for less time`
  }
}

export class FrameHistory extends Context.Service<FrameHistory, {
  /** Times of the first and the last frame of an environment, null: of all active ones; null while there is none. */
  readonly available: (
    environmentId: string | null,
  ) => Effect.Effect<{ readonly firstMs: number; readonly lastMs: number } | null, StoreUnavailable>
  /** Whether the range holds a frame at all. */
  readonly has: (range: FrameRange) => Effect.Effect<boolean, StoreUnavailable>
  /** Where the frames after a frame id begin; null while the environment has no frame. */
  readonly resumePoint: (request: ResumeRequest) => Effect.Effect<ResumePoint | null, StoreUnavailable>
  readonly frames: (request: FramesRequest) => Effect.Effect<FramesPage, StoreUnavailable>
  /** Persons in the order of their frames, oldest first. */
  readonly persons: (request: PersonsRequest) => Effect.Effect<PersonsPage, StoreUnavailable | TooManyFrames>
}>()("wavepose/protocols/FrameHistory") {}
