/**
 * Summaries of stored frames: the port through which edges query the past. The store implements it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Activity } from "../domain/pose.ts"
import type { FramePosition, TooManyFrames } from "./frame-history.ts"

/** The subject of a row: one frame, or all frames of an environment in an interval of UTC (weeks begin on Monday). */
export type Stretch = "frame" | "minute" | "hour" | "day" | "week"

/** Selects frames; null and an empty list: no limit. A limit of persons excludes frames whose persons are not counted. */
export interface FrameFilter {
  readonly personsMin: number | null
  readonly personsMax: number | null
  /** The lowest mean confidence of a frame's persons. */
  readonly confidenceMin: number | null
  /** A person does one of these. */
  readonly activities: ReadonlyArray<Activity>
}

export interface SummaryRequest {
  /** Null: all active environments with frames. */
  readonly environmentId: string | null
  /** Inclusive. Milliseconds since the Unix epoch. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  readonly filter: FrameFilter
  readonly stretch: Stretch
  /** Whether to count falls; not for single frames. */
  readonly falls: boolean
  readonly limit: number
  /** The end of the previous answer; null for the first one. */
  readonly after: FramePosition | null
}

/** One frame, or the matching frames of an environment in an interval. Intervals without any have no row. */
export interface SummaryRow {
  readonly environmentId: string
  /** Time of the frame, or start of the interval. */
  readonly timestampMs: number
  /** Null for an interval. */
  readonly frameId: number | null
  readonly frames: number
  /** Frames whose persons are counted. */
  readonly countedFrames: number
  /** Sum of the persons over these frames. */
  readonly personFrames: number
  /** Null if no frame counts persons. */
  readonly personMax: number | null
  /** Mean over persons and frames; null without persons. */
  readonly confidence: number | null
  /** Sums of persons over the frames, by activity. */
  readonly activities: Readonly<Record<Activity, number>>
  /** Frames that state presence, and absence. The others make no statement, or are of a version that did not store it. */
  readonly present: number
  readonly absent: number
  /** Mean over the frames with a value, 0..1; null without one. */
  readonly motion: number | null
  /** Alerted falls, regardless of the filter; null if not requested. */
  readonly falls: number | null
  /** Frames by source. */
  readonly sources: { readonly live: number; readonly replay: number; readonly simulated: number }
}

export interface SummaryAnswer {
  /** Oldest first; at equal times sorted by environment. */
  readonly rows: ReadonlyArray<SummaryRow>
  /** The position for the next answer; null at the end. */
  readonly next: FramePosition | null
  /** Database rows that were read for this answer: frames, minute sums and events. */
  readonly recordsScanned: number
  /** The answer was cached, and nothing has changed since. */
  readonly cacheHit: boolean
}

export class FrameSummaries extends Context.Service<FrameSummaries, {
  readonly ask: (request: SummaryRequest) => Effect.Effect<SummaryAnswer, StoreUnavailable | TooManyFrames>
}>()("wavepose/protocols/FrameSummaries") {}
