/**
 * What several reports read from the store in the same way: incidents, and the peak number of persons.
 */
import { Effect } from "effect"
import { countedFrames, type EnvironmentSums } from "../../../../core/analytics/figures.ts"
import type { IncidentList } from "../../../../core/analytics/incidents.ts"
import { peakOf } from "../../../../core/analytics/occupancy.ts"
import type { ActivityEvent, EventDetail } from "../../../../protocols/domain/event.ts"
import { Analytics, type AnalyticsScope } from "../../../../protocols/ports/analytics.ts"

/** Incidents that a report lists. */
const incidentsMax = 1000
/** Statements of one report that run concurrently. */
export const concurrency = 4

const withTimes = ({ count, newest }: IncidentList<ActivityEvent>) => ({
  count,
  newest: newest.map((event) => ({
    event,
    timestampMs: event.timestampMs,
    raisedMs: event.incident?.raisedMs ?? null,
    acknowledgedMs: event.incident?.acknowledgedMs ?? null,
  })),
})

/** The incidents of one type: how many, and the newest with their times. */
export const readIncidents = Effect.fnUntraced(function* (scope: AnalyticsScope, type: EventDetail["type"]) {
  return withTimes(yield* (yield* Analytics).incidents(scope, type, incidentsMax))
})

/** The maximum number of persons at a time: exact for one environment that counts persons, an upper bound for several. */
export const readPeak = Effect.fnUntraced(
  function* (scope: AnalyticsScope, environments: ReadonlyArray<EnvironmentSums>) {
    const [first, ...others] = environments.filter((sums) => countedFrames(sums) > 0)
    if (first === undefined) return null
    const of = others.length === 0 ? { ...scope, environmentId: first.environmentId } : scope
    return peakOf(environments, yield* (yield* Analytics).peak(of))
  },
)
