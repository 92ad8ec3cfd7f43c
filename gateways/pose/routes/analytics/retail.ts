/**
 * `GET /analytics/retail`.
 */
import { Effect } from "effect"
import { retailReport } from "../../../../core/analytics/retail.ts"
import { retailAnalytics } from "../../../../protocols/pose-api/retail.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { route } from "../../server/route.ts"
import { concurrency } from "./report-reads.ts"
import { askedPeriod } from "./report-request.ts"
import { allZones, stagesOf, zonesWithRoles } from "./zones.ts"

export const retail = route(
  retailAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const { asked, environments, scope } = yield* askedPeriod(query)
    const staged = zonesWithRoles(environments)
    const read = yield* Effect.all({
      environments: analytics.sums(scope),
      movement: analytics.movement(scope),
      arrivals: analytics.arrivals(scope),
      visited: analytics.zoneVisits(scope, staged.filter(({ role }) => role === "purchase")),
    }, { concurrency })
    const stages = yield* stagesOf(scope, staged, read.visited)
    return {
      asked,
      report: retailReport({
        ...read,
        zones: allZones(environments, read.visited),
        stages,
        roles: new Set(staged.map(({ role }) => role)),
      }),
    }
  }),
)
