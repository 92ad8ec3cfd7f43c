/**
 * `GET /analytics/healthcare`.
 */
import { Effect } from "effect"
import { healthcareReport } from "../../../../core/analytics/healthcare.ts"
import { spanMs } from "../../../../core/analytics/occupancy.ts"
import { gapMsMax, restLookBackMs } from "../../../../core/analytics/sleep.ts"
import {
  healthcareAnalytics,
  type HealthcareMetric,
  healthcareMetrics,
} from "../../../../protocols/pose-api/healthcare.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { concurrency, readIncidents } from "./report-reads.ts"
import { askedPeriod } from "./report-request.ts"

export const healthcare = route(
  healthcareAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const { asked, scope } = yield* askedPeriod(query)
    const around = { ...scope, fromMs: scope.fromMs - restLookBackMs, toMs: scope.toMs + gapMsMax + spanMs }
    const read = yield* Effect.all({
      environments: analytics.sums(scope),
      spans: analytics.spans(around),
      movement: analytics.movement(scope),
      falls: readIncidents(scope, "fall_detection"),
    }, { concurrency })
    const metrics = new Set((query.metrics?.split(",") ?? healthcareMetrics) as ReadonlyArray<HealthcareMetric>)
    return { asked, metrics, report: healthcareReport({ range: asked.range, ...read }) }
  }),
)
