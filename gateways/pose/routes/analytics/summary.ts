/**
 * `GET /analytics/summary`.
 */
import { Clock, Effect } from "effect"
import type { TimeRange } from "../../../../core/analytics/calendar.ts"
import { summaryReport } from "../../../../core/analytics/summary.ts"
import { bucketWidthsMs } from "../../../../protocols/pose-api/analytics.ts"
import { epochMsOf } from "../../../../protocols/pose-api/fields.ts"
import { summaryAnalytics } from "../../../../protocols/pose-api/summary.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { concurrency, readPeak } from "./report-reads.ts"
import { askedEnvironments, rangeBetween } from "./report-request.ts"

/** The errors that this process counted. */
export interface ErrorCounts {
  /** Answers with a 5xx status in a range; a text is the reason why the number is unknown. */
  readonly errorsWithin: (range: TimeRange) => number | string
}

export const makeSummary = ({ errorsWithin }: ErrorCounts) =>
  route(
    summaryAnalytics,
    Effect.fnUntraced(function* ({ query }) {
      const analytics = yield* Analytics
      const widthMs = bucketWidthsMs[query.granularity ?? "hour"]
      const range = yield* rangeBetween(epochMsOf(query.start_time), epochMsOf(query.end_time), widthMs)
      const asked = { range, environmentId: query.environment_id ?? null }
      const scope = { ...range, environmentId: asked.environmentId }
      const enrolled = yield* askedEnvironments(query.environment_id)
      const environments = yield* analytics.sums(scope)
      const read = yield* Effect.all({
        peak: readPeak(scope, environments),
        buckets: analytics.buckets(scope, widthMs),
        movement: analytics.movement(scope),
        trackBuckets: analytics.trackBuckets(scope, widthMs),
        events: analytics.eventCounts(scope),
      }, { concurrency })
      const report = summaryReport({
        ...read,
        range,
        widthMs,
        environments,
        nowMs: yield* Clock.currentTimeMillis,
        environmentCount: Math.max(enrolled.length, environments.length),
        errors: errorsWithin(range),
      })
      return { asked, report }
    }),
  )
