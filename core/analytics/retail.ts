/**
 * The report for shops: visits, zones, stages and where most goes on.
 *
 * A visit is a track: whoever leaves and comes back, or is lost and found, visits again. What a zone stands for in a sale is known only
 * where its operator has said so.
 */
import { hourMs } from "./calendar.ts"
import { type EnvironmentSums, type Origins, originsOf, ratio, together } from "./figures.ts"
import type { Movement } from "./movement.ts"
import { uniquePersons, uniqueReason } from "./persons.ts"
import { createReasons, type ReasonMap, type Reasons } from "./reasons.ts"
import { type ZoneRole, zoneRoles } from "../activity/zones.ts"

/** What was seen of a zone: by its events, or nothing of one that nobody entered. */
export interface ZoneVisits {
  readonly environmentId: string
  readonly zoneId: string
  readonly name: string
  /** Different visitors, and how often one of them came in. */
  readonly visitors: number
  readonly entries: number
  /** Visitors who were in a zone of role `purchase` afterwards. */
  readonly buyers: number
  /** Of those who left it again: how often, and how long they stayed. */
  readonly left: number
  readonly dwellS: number
}

/** A stage's visitors; null where no zone has this role. */
export type Funnel = Readonly<Record<ZoneRole, number | null>>

export interface RetailReport {
  readonly totalVisitors: number | null
  readonly uniqueVisitors: number | null
  readonly uniqueBounds: { readonly min: number; readonly max: number } | null
  readonly peakHourMs: number | null
  readonly peakCount: number | null
  readonly averageDwellMinutes: number | null
  readonly zones: ReadonlyArray<
    ZoneVisits & { readonly averageDwellMinutes: number | null; readonly conversionRate: number | null }
  >
  readonly funnel: Funnel
  readonly areas: ReadonlyArray<ZoneVisits & { readonly intensity: number }>
  readonly origins: Origins
  readonly reasons: ReasonMap
}

/** A zone is busy from this part of the busiest one's visitors on. */
const busyMin = 0.5
const areasMax = 10

const noTracks = "No tracks are stored of this time."

/** The fullest hour: the most visits that began in it, the earliest of several. */
const peakHour = (arrivals: ReadonlyMap<number, number>) => {
  let peak: { readonly startMs: number; readonly count: number } | null = null
  for (const [startMs, count] of arrivals) {
    if (count === 0) continue
    if (peak === null || count > peak.count || (count === peak.count && startMs < peak.startMs)) {
      peak = { startMs, count }
    }
  }
  return peak
}

const tellFunnel = (stages: Funnel, reasons: Reasons): Funnel => {
  for (const role of zoneRoles) {
    reasons.orNull(
      `conversionFunnel.${role}`,
      stages[role],
      `No zone has the role "${role}". Give it to one in the site.`,
    )
  }
  return stages
}

export const retailReport = (
  given: {
    readonly environments: ReadonlyArray<EnvironmentSums>
    readonly movement: Movement
    /** Visits that began in an hour, by the hour's begin. */
    readonly arrivals: ReadonlyMap<number, number>
    readonly zones: ReadonlyArray<ZoneVisits>
    readonly stages: Funnel
  },
): RetailReport => {
  const reasons = createReasons()
  const { environments, movement, zones } = given
  const sums = together(environments)
  const looked = sums.frames > 0 || movement.tracks > 0
  const visits = reasons.orNull("traffic.totalVisitors", looked ? movement.begun : null, noTracks)
  const bounds = { min: Math.max(0, ...environments.map(({ personMax }) => personMax)), max: movement.tracks }
  const unique = looked ? uniquePersons(bounds) : null
  const peak = peakHour(given.arrivals)
  const averageDwellMinutes = ratio(movement.dwellS / 60, movement.begun)
  const busiest = Math.max(0, ...zones.map(({ visitors }) => visitors))
  if (zones.length === 0) reasons.note("zones", "No environment has zones. Draw them in the site.")
  if (zones.some(({ left }) => left === 0)) {
    reasons.note("zones.avgDwellTimeMinutes", "Null where nobody has left the zone again.")
  }
  const sells = given.stages.purchase !== null
  if (zones.length > 0) {
    reasons.note(
      "zones.conversionRate",
      sells ? "Null where nobody was." : `A purchase is not seen by radio, and no zone has the role "purchase".`,
    )
  }
  return {
    totalVisitors: visits,
    uniqueVisitors: reasons.orNull("traffic.uniqueVisitors", unique, looked ? uniqueReason(bounds) : noTracks),
    uniqueBounds: looked && bounds.min <= bounds.max ? bounds : null,
    peakHourMs: reasons.orNull("traffic.peakHour", peak?.startMs ?? null, "No visit began in this time."),
    peakCount: looked ? peak?.count ?? 0 : reasons.orNull("traffic.peakCount", null, noTracks),
    averageDwellMinutes: reasons.orNull(
      "traffic.averageDwellTimeMinutes",
      averageDwellMinutes,
      "No visit began in this time.",
    ),
    zones: zones.map((zone) => ({
      ...zone,
      averageDwellMinutes: ratio(zone.dwellS / 60, zone.left),
      conversionRate: sells ? ratio(zone.buyers, zone.visitors) : null,
    })),
    funnel: tellFunnel(given.stages, reasons),
    areas: zones
      .filter(({ visitors }) => visitors > 0 && visitors >= busyMin * busiest)
      .map((zone) => ({ ...zone, intensity: zone.visitors / busiest }))
      .sort((a, b) => b.intensity - a.intensity || (a.zoneId < b.zoneId ? -1 : 1))
      .slice(0, areasMax),
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}

/** `HH:MM` of the day, UTC. */
export const clockOf = (timeMs: number): string => {
  const minutes = Math.floor(timeMs / 60_000)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${two(Math.floor(minutes * 60_000 / hourMs) % 24)}:${two(minutes % 60)}`
}
