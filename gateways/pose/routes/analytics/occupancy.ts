/**
 * `GET /analytics/occupancy`.
 */
import { Effect } from "effect"
import { occupancyReport } from "../../../../core/analytics/occupancy.ts"
import { bucketWidthsMs } from "../../../../protocols/pose-api/analytics.ts"
import { epochMsOf } from "../../../../protocols/pose-api/fields.ts"
import { occupancyAnalytics } from "../../../../protocols/pose-api/occupancy.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { concurrency, readPeak } from "./report-reads.ts"
import { askedEnvironments, rangeBetween } from "./report-request.ts"

export const occupancy = route(
  occupancyAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const widthMs = bucketWidthsMs[query.interval ?? "1hour"]
    const range = yield* rangeBetween(epochMsOf(query.start_time), epochMsOf(query.end_time), widthMs)
    const asked = { range, environmentId: query.environment_id ?? null }
    const scope = { ...range, environmentId: asked.environmentId }
    yield* askedEnvironments(query.environment_id)
    const environments = yield* analytics.sums(scope)
    const read = yield* Effect.all({
      peak: readPeak(scope, environments),
      buckets: analytics.buckets(scope, widthMs),
    }, { concurrency })
    return { asked, report: occupancyReport({ ...read, range, widthMs, environments }) }
  }),
)
