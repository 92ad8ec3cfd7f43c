/**
 * Analytics: the port through which reports are made from stored data. It returns sums and lists; `core/analytics` interprets
 * them.
 *
 * Frames are counted by whole minutes: those that begin in a range. Tracks and events are counted to the millisecond.
 */
import { Context, type Effect } from "effect"
import type { ZoneRole } from "../../core/activity/zones.ts"
import type { TimeRange } from "../../core/analytics/calendar.ts"
import type { EnvironmentSums } from "../../core/analytics/figures.ts"
import type { IncidentList } from "../../core/analytics/incidents.ts"
import type { Movement } from "../../core/analytics/movement.ts"
import type { OccupancyBucket, SpanColumns } from "../../core/analytics/occupancy.ts"
import type { TrackBucket } from "../../core/analytics/persons.ts"
import type { ZoneVisits } from "../../core/analytics/retail.ts"
import type { EventCounts } from "../../core/analytics/summary.ts"
import type { ActivityEvent, EventDetail, Severity } from "../domain/event.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

export interface AnalyticsScope extends TimeRange {
  /** Null: all active environments. */
  readonly environmentId: string | null
}

export interface ZoneKey {
  readonly environmentId: string
  readonly zoneId: string
}

export interface EventFilter {
  /** Null: every type. */
  readonly types: ReadonlyArray<EventDetail["type"]> | null
  /** Only events that raised an alert. */
  readonly alerted: boolean
  readonly severity: Severity | null
  /** Only events older than this one: the end of the previous page. */
  readonly before: string | null
  readonly limit: number
}

/** Sums of a bucket over all environments, for the history of metrics. */
export interface RateBucket {
  readonly startMs: number
  readonly frames: number
  /** Frames whose persons are counted. */
  readonly countedFrames: number
  readonly personFrames: number
  readonly processingMsSum: number
}

type Answer<A> = Effect.Effect<A, StoreUnavailable>

export class Analytics extends Context.Service<Analytics, {
  /** Sums of the frames, one row per environment with frames. */
  readonly sums: (scope: AnalyticsScope) => Answer<ReadonlyArray<EnvironmentSums>>
  /**
   * The maximum of persons, and its earliest time; null without frames that count persons. Exact for one environment. For all together, each counts
   * with its maximum within the same five minutes, whose start is the time.
   */
  readonly peak: (scope: AnalyticsScope) => Answer<{ readonly persons: number; readonly atMs: number } | null>
  /** The frames with persons by five minutes, one set of columns per environment with such frames. */
  readonly spans: (scope: AnalyticsScope) => Answer<ReadonlyArray<SpanColumns>>
  /** Sums of the frames by buckets of a multiple of five minutes. Buckets without frames are omitted. */
  readonly buckets: (scope: AnalyticsScope, widthMs: number) => Answer<ReadonlyArray<OccupancyBucket>>
  /** Sums of the frames by buckets of a multiple of a minute. */
  readonly rates: (scope: AnalyticsScope, widthMs: number) => Answer<ReadonlyArray<RateBucket>>
  readonly movement: (scope: AnalyticsScope) => Answer<Movement>
  /** Tracks that began in each hour, by the start of the hour. */
  readonly arrivals: (scope: AnalyticsScope) => Answer<ReadonlyMap<number, number>>
  readonly trackBuckets: (scope: AnalyticsScope, widthMs: number) => Answer<ReadonlyArray<TrackBucket>>
  /** Events in the entered or left zones. `purchases` are the zones that make a visitor a buyer. */
  readonly zoneVisits: (
    scope: AnalyticsScope,
    purchases: ReadonlyArray<ZoneKey>,
  ) => Answer<ReadonlyArray<ZoneVisits>>
  /** Distinct visitors of all zones of a role; null if events name no person. */
  readonly stages: (
    scope: AnalyticsScope,
    zones: ReadonlyArray<ZoneKey & { readonly role: ZoneRole }>,
  ) => Answer<Readonly<Record<ZoneRole, number | null>>>
  /** Entries into these zones: all, and those during an intrusion in the environment. */
  readonly entries: (
    scope: AnalyticsScope,
    zones: ReadonlyArray<ZoneKey>,
  ) => Answer<{ readonly all: number; readonly intruding: number }>
  readonly eventCounts: (scope: AnalyticsScope) => Answer<EventCounts>
  /** Incidents of a type that began in the range: their number, and the newest, newest first. */
  readonly incidents: (
    scope: AnalyticsScope,
    type: EventDetail["type"],
    limit: number,
  ) => Answer<IncidentList<ActivityEvent>>
  /** Events of the range, newest first; null if no event has the id `before`. */
  readonly events: (scope: AnalyticsScope, filter: EventFilter) => Answer<ReadonlyArray<ActivityEvent> | null>
}>()("wavepose/protocols/Analytics") {}
