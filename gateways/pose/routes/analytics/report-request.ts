/**
 * What a request for a report asks about: its environments and its range of time.
 */
import { Clock, Effect } from "effect"
import { bucketCount, dayMs, type Period, periodOf, type TimeRange } from "../../../../core/analytics/calendar.ts"
import { bucketsMax, dateMsOf, rangeMsMax } from "../../../../protocols/pose-api/analytics.ts"
import { InvalidRequest } from "../../../../protocols/pose-api/edge-failures.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"

/** The environment that a request names, or all environments. */
export const askedEnvironments = Effect.fnUntraced(function* (environmentId: string | undefined) {
  const directory = yield* Directory
  return environmentId === undefined ? yield* directory.environments : [yield* directory.environment(environmentId)]
})

/** The range between two times. Rejects a range that is reversed, or too long for one answer. */
export const rangeBetween = Effect.fnUntraced(function* (fromMs: number, toMs: number, widthMs: number | null) {
  const days = rangeMsMax / dayMs
  if (toMs <= fromMs) return yield* InvalidRequest.of("end_time", "is not after start_time")
  if (toMs - fromMs > rangeMsMax) {
    return yield* InvalidRequest.of("end_time", `is more than ${days} days after start_time; ask in parts`)
  }
  const range: TimeRange = { fromMs, toMs }
  if (widthMs !== null && bucketCount(range, widthMs) > bucketsMax) {
    return yield* InvalidRequest.of(
      "end_time",
      `makes more than ${bucketsMax} intervals; ask in parts or for wider ones`,
    )
  }
  return range
})

interface PeriodQuery {
  readonly period?: Period
  readonly date?: string
  readonly environment_id?: string
}

/** The period, environments and scope of a request for a calendar period. */
export const askedPeriod = Effect.fnUntraced(function* ({ date, environment_id, period = "day" }: PeriodQuery) {
  const environments = yield* askedEnvironments(environment_id)
  const timeMs = date === undefined ? yield* Clock.currentTimeMillis : dateMsOf(date)
  const range = periodOf(period, timeMs)
  const environmentId = environment_id ?? null
  return { asked: { period, range, environmentId }, environments, scope: { ...range, environmentId } }
})
