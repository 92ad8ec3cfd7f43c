/**
 * `GET /analytics/security`.
 */
import { Effect } from "effect"
import { spanMs } from "../../../../core/analytics/occupancy.ts"
import { securityReport } from "../../../../core/analytics/security.ts"
import type { Environment } from "../../../../protocols/domain/site.ts"
import { crowdSizeDefault, securityAnalytics } from "../../../../protocols/pose-api/security.ts"
import { Analytics, type AnalyticsScope, type ZoneKey } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { concurrency, readIncidents, readPeak } from "./report-reads.ts"
import { askedPeriod } from "./report-request.ts"

/** Entries through the perimeter: null if no configured zone is watched or an entrance. */
const perimeterEntries = Effect.fnUntraced(function* (
  scope: AnalyticsScope,
  environments: ReadonlyArray<Environment>,
) {
  const analytics = yield* Analytics
  const configured = environments.flatMap(({ environmentId, zones = [] }) =>
    zones.map(({ kind, role, zoneId }) => ({ environmentId, zoneId, watched: kind === "watched", role }))
  )
  const entrances = configured.filter(({ role }) => role === "entrance")
  const perimeter = configured.filter(({ role, watched }) => watched || role === "entrance")
  const entries = (zones: ReadonlyArray<ZoneKey>) =>
    zones.length === 0 ? Effect.succeed({ all: 0, intruding: 0 }) : analytics.entries(scope, zones)
  const through = yield* entries(entrances)
  const all = perimeter.length === entrances.length ? through : yield* entries(perimeter)
  return {
    all: perimeter.length === 0 ? null : all.all,
    allowed: entrances.length === 0 ? null : through.all - through.intruding,
  }
})

export const security = route(
  securityAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const { asked, environments, scope } = yield* askedPeriod(query)
    const sums = yield* analytics.sums(scope)
    const read = yield* Effect.all({
      peak: readPeak(scope, sums),
      spans: analytics.spans(scope),
      entries: perimeterEntries(scope, environments),
      intrusions: readIncidents(scope, "intrusion_detection"),
    }, { concurrency })
    const crowdSize = query.crowd_size ?? crowdSizeDefault
    return { asked, report: securityReport({ ...read, environments: sums, widthMs: spanMs, crowdSize }) }
  }),
)
