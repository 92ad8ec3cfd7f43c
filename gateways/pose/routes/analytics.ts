/**
 * Handlers of the group Analytics: read what is stored, and have the core make a report of it.
 */
import { Clock, Effect } from "effect"
import { type ZoneRole, zoneRoles } from "../../../core/activity/zones.ts"
import { bucketCount, type Period, periodOf, type TimeRange } from "../../../core/analytics/calendar.ts"
import type { EnvironmentSums } from "../../../core/analytics/figures.ts"
import { healthcareReport } from "../../../core/analytics/healthcare.ts"
import type { IncidentList } from "../../../core/analytics/incidents.ts"
import { occupancyReport, peakOf, spanMs } from "../../../core/analytics/occupancy.ts"
import { type Funnel, retailReport, type ZoneVisits } from "../../../core/analytics/retail.ts"
import { securityReport } from "../../../core/analytics/security.ts"
import { gapMsMax, restLookBackMs } from "../../../core/analytics/sleep.ts"
import { summaryReport } from "../../../core/analytics/summary.ts"
import type { ActivityEvent } from "../../../protocols/domain/event.ts"
import type { Environment } from "../../../protocols/domain/site.ts"
import { activityEvents, eventGroups, eventsMax } from "../../../protocols/pose-api/activity-events.ts"
import { bucketsMax, bucketWidthsMs, dateMsOf, rangeMsMax } from "../../../protocols/pose-api/analytics.ts"
import { InvalidRequest } from "../../../protocols/pose-api/errors.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import {
  healthcareAnalytics,
  type HealthcareMetric,
  healthcareMetrics,
} from "../../../protocols/pose-api/healthcare.ts"
import { occupancyAnalytics } from "../../../protocols/pose-api/occupancy.ts"
import { retailAnalytics } from "../../../protocols/pose-api/retail.ts"
import { crowdSizeDefault, securityAnalytics } from "../../../protocols/pose-api/security.ts"
import { summaryAnalytics } from "../../../protocols/pose-api/summary.ts"
import { Analytics, type AnalyticsScope, type ZoneKey } from "../../../protocols/ports/analytics.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { route } from "../server/route.ts"

/** Incidents that a report lists. */
const incidentsMax = 1000
const dayMs = 86_400_000
/** Statements of one report that are under way together. */
const concurrency = 4

/** The environments that are asked about. */
const askedEnvironments = Effect.fnUntraced(function* (environmentId: string | undefined) {
  const directory = yield* Directory
  return environmentId === undefined ? yield* directory.environments : [yield* directory.environment(environmentId)]
})

/** The range between two times; refused when it is reversed or too long for an answer. */
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

/** What a query of a period asks about. */
const askedPeriod = Effect.fnUntraced(function* ({ date, environment_id, period = "day" }: PeriodQuery) {
  const environments = yield* askedEnvironments(environment_id)
  const timeMs = date === undefined ? yield* Clock.currentTimeMillis : dateMsOf(date)
  const range = periodOf(period, timeMs)
  const environmentId = environment_id ?? null
  return { asked: { period, range, environmentId }, environments, scope: { ...range, environmentId } }
})

const withTimes = ({ count, newest }: IncidentList<ActivityEvent>) => ({
  count,
  newest: newest.map((event) => ({
    event,
    timestampMs: event.timestampMs,
    raisedMs: event.incident?.raisedMs ?? null,
    acknowledgedMs: event.incident?.acknowledgedMs ?? null,
  })),
})

type RoleZone = ZoneKey & { readonly role: ZoneRole }

const zonesWithRoles = (environments: ReadonlyArray<Environment>): ReadonlyArray<RoleZone> =>
  environments.flatMap(({ environmentId, zones = [] }) =>
    zones.flatMap(({ role, zoneId }) => role === undefined ? [] : [{ environmentId, zoneId, role }])
  )

const zoneKeyOf = ({ environmentId, zoneId }: ZoneKey): string => `${environmentId}/${zoneId}`

/** The zones that were visited and those that are drawn, under the names that they have now. */
const allZones = (
  environments: ReadonlyArray<Environment>,
  visited: ReadonlyArray<ZoneVisits>,
): ReadonlyArray<ZoneVisits> => {
  const zones = new Map(visited.map((zone) => [zoneKeyOf(zone), zone]))
  for (const { environmentId, zones: drawn = [] } of environments) {
    for (const { name, zoneId } of drawn) {
      const none = { environmentId, zoneId, visitors: 0, entries: 0, buyers: 0, left: 0, dwellS: 0 }
      zones.set(zoneKeyOf(none), { ...(zones.get(zoneKeyOf(none)) ?? none), name })
    }
  }
  return [...zones.values()]
}

const healthcare = route(
  healthcareAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const { asked, scope } = yield* askedPeriod(query)
    const around = { ...scope, fromMs: scope.fromMs - restLookBackMs, toMs: scope.toMs + gapMsMax + spanMs }
    const read = yield* Effect.all({
      environments: analytics.sums(scope),
      spans: analytics.spans(around),
      movement: analytics.movement(scope),
      falls: Effect.map(analytics.incidents(scope, "fall_detection", incidentsMax), withTimes),
    }, { concurrency })
    const metrics = new Set((query.metrics?.split(",") ?? healthcareMetrics) as ReadonlyArray<HealthcareMetric>)
    return { asked, metrics, report: healthcareReport({ range: asked.range, ...read }) }
  }),
)

/**
 * Different visitors of each stage; null where no zone has its role, or events tell of no person. The visitors of one zone of an
 * environment are counted with the zone; those of several zones of one role, in which somebody may have been twice, are asked for.
 */
const stagesOf = Effect.fnUntraced(function* (
  scope: AnalyticsScope,
  staged: ReadonlyArray<RoleZone>,
  visited: ReadonlyArray<ZoneVisits>,
) {
  const stageOf = ({ environmentId, role }: RoleZone) => `${environmentId}/${role}`
  const sizes = Map.groupBy(staged, stageOf)
  const isShared = (zone: RoleZone) => sizes.get(stageOf(zone))!.length > 1
  const shared = staged.filter(isShared)
  const asked = shared.length === 0 ? null : yield* (yield* Analytics).stages(scope, shared)
  const visits = new Map(visited.map((zone) => [zoneKeyOf(zone), zone]))
  return Object.fromEntries(zoneRoles.map((role) => {
    const zones = staged.filter((zone) => zone.role === role)
    if (zones.length === 0) return [role, null]
    const alone = zones.filter((zone) => !isShared(zone))
    const counts = alone.map((zone) => (visits.get(zoneKeyOf(zone)) ?? { visitors: 0 }).visitors)
    const together = [...counts, asked === null ? 0 : asked[role]]
    return [role, together.reduce((sum, count) => sum === null || count === null ? null : sum + count, 0)]
  })) as unknown as Funnel
})

const retail = route(
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

/** Entries through the perimeter: null where nothing is drawn that makes one. */
const perimeterEntries = Effect.fnUntraced(function* (
  scope: AnalyticsScope,
  environments: ReadonlyArray<Environment>,
) {
  const analytics = yield* Analytics
  const drawn = environments.flatMap(({ environmentId, zones = [] }) =>
    zones.map(({ kind, role, zoneId }) => ({ environmentId, zoneId, watched: kind === "watched", role }))
  )
  const entrances = drawn.filter(({ role }) => role === "entrance")
  const perimeter = drawn.filter(({ role, watched }) => watched || role === "entrance")
  const entries = (zones: ReadonlyArray<ZoneKey>) =>
    zones.length === 0 ? Effect.succeed({ all: 0, intruding: 0 }) : analytics.entries(scope, zones)
  const through = yield* entries(entrances)
  const all = perimeter.length === entrances.length ? through : yield* entries(perimeter)
  return {
    all: perimeter.length === 0 ? null : all.all,
    allowed: entrances.length === 0 ? null : through.all - through.intruding,
  }
})

const security = route(
  securityAnalytics,
  Effect.fnUntraced(function* ({ query }) {
    const analytics = yield* Analytics
    const { asked, environments, scope } = yield* askedPeriod(query)
    const sums = yield* analytics.sums(scope)
    const read = yield* Effect.all({
      peak: readPeak(scope, sums),
      spans: analytics.spans(scope),
      entries: perimeterEntries(scope, environments),
      intrusions: Effect.map(analytics.incidents(scope, "intrusion_detection", incidentsMax), withTimes),
    }, { concurrency })
    const crowdSize = query.crowd_size ?? crowdSizeDefault
    return { asked, report: securityReport({ ...read, environments: sums, widthMs: spanMs, crowdSize }) }
  }),
)

/** The most persons at a time: of the only environment with frames to the moment, of several as an upper bound. */
const readPeak = Effect.fnUntraced(function* (scope: AnalyticsScope, environments: ReadonlyArray<EnvironmentSums>) {
  const [first, ...others] = environments
  if (first === undefined) return null
  const of = others.length === 0 ? { ...scope, environmentId: first.environmentId } : scope
  return peakOf(environments, yield* (yield* Analytics).peak(of))
})

/** Counts of this process's own errors. */
interface ErrorCounts {
  /** Answers with a 5xx status in a range; a text says why they are not known. */
  readonly errorsWithin: (range: TimeRange) => number | string
}

const makeSummary = ({ errorsWithin }: ErrorCounts) =>
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

const occupancy = route(
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

const events = route(
  activityEvents,
  Effect.fnUntraced(function* ({ query }) {
    const toMs = query.end_time === undefined ? yield* Clock.currentTimeMillis : epochMsOf(query.end_time)
    const fromMs = query.start_time === undefined ? toMs - dayMs : epochMsOf(query.start_time)
    const range = yield* rangeBetween(fromMs, toMs, null)
    yield* askedEnvironments(query.environment_id)
    const group = query.event_type === undefined ? { types: null, alerted: false } : eventGroups[query.event_type]
    const found = yield* (yield* Analytics).events(
      { ...range, environmentId: query.environment_id ?? null },
      { ...group, severity: query.severity ?? null, before: query.before ?? null, limit: query.limit ?? eventsMax },
    )
    return found ?? (yield* InvalidRequest.of("before", "is no event", query.before))
  }),
)

/** Routes of analytics. */
export const analyticsRoutes = (errors: ErrorCounts) => [
  healthcare,
  retail,
  security,
  makeSummary(errors),
  events,
  occupancy,
]
