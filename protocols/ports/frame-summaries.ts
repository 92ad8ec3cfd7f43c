/**
 * Summaries of stored frames: the port through which edges ask what went on over time. The store answers it.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Activity } from "../domain/pose.ts"
import type { FramePosition, TooManyFrames } from "./frame-history.ts"

/** What a row is about: one frame, or all frames of an environment in such a stretch of UTC (weeks begin on Monday). */
export type Stretch = "frame" | "minute" | "hour" | "day" | "week"

/** Which frames count; null and an empty list: no limit. */
export interface FrameFilter {
  readonly personsMin: number | null
  readonly personsMax: number | null
  /** Least mean confidence of a frame's persons. */
  readonly confidenceMin: number | null
  /** Somebody does one of these. */
  readonly activities: ReadonlyArray<Activity>
}

export interface SummaryRequest {
  /** Null: all active environments that have frames. */
  readonly environmentId: string | null
  /** Included. Milliseconds since the Unix epoch. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly filter: FrameFilter
  readonly stretch: Stretch
  /** Whether falls are counted; not of single frames. */
  readonly falls: boolean
  readonly limit: number
  /** Where the answer before ended; null for the first one. */
  readonly after: FramePosition | null
}

/** One frame, or the frames of an environment in a stretch that passed the filter. Stretches without any have no row. */
export interface SummaryRow {
  readonly environmentId: string
  /** Of the frame, or the begin of the stretch. */
  readonly timestampMs: number
  /** Null for a stretch. */
  readonly frameId: number | null
  readonly frames: number
  /** Sum of the persons over the frames. */
  readonly personFrames: number
  readonly personMax: number
  /** Mean over persons and frames; null without any person. */
  readonly confidence: number | null
  /** Persons over the frames, by activity. */
  readonly activities: Readonly<Record<Activity, number>>
  /** Falls that were alerted, whatever the filter; null when not asked for. */
  readonly falls: number | null
  /** Frames by where they came from. */
  readonly sources: { readonly live: number; readonly replay: number; readonly simulated: number }
}

export interface SummaryAnswer {
  /** Oldest first; of one time in the order of their environments. */
  readonly rows: ReadonlyArray<SummaryRow>
  /** Where to go on; null when nothing follows. */
  readonly next: FramePosition | null
  /** Rows of the database that were read for this answer: frames, sums of minutes and events. */
  readonly recordsScanned: number
  /** The answer was remembered, and nothing has changed since. */
  readonly cacheHit: boolean
}

export class FrameSummaries extends Context.Service<FrameSummaries, {
  readonly ask: (request: SummaryRequest) => Effect.Effect<SummaryAnswer, StoreUnavailable | TooManyFrames>
}>()("wavepose/protocols/FrameSummaries") {}
