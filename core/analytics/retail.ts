/**
 * The retail report: visits, zones, stages and high-traffic areas.
 *
 * A visit is a track: a person who returns, or whose track is lost, counts as a new visit. The role of a zone in a sale is known only
 * if its operator has set it.
 */
import { hourMs } from "./calendar.ts"
import { countedFrames, type EnvironmentSums, type Origins, originsOf, ratio, together } from "./figures.ts"
import type { Movement } from "./movement.ts"
import { uniquePersons, uniqueReason } from "./persons.ts"
import { createReasons, noCountReason, noteCounted, type ReasonMap, type Reasons } from "./reasons.ts"
import { type ZoneRole, zoneRoles } from "../activity/zones.ts"

/** The statistics of a zone from its events; empty for a zone without entries. */
export interface ZoneVisits {
  readonly environmentId: string
  readonly zoneId: string
  readonly name: string
  /** Different visitors, null if the events do not name persons; and the number of entries. */
  readonly visitors: number | null
  readonly entries: number
  /** Visitors who were later in a zone of role `purchase`; null if the events do not name persons. */
  readonly buyers: number | null
  /** Completed stays: their number and total duration. */
  readonly left: number
  readonly dwellS: number
}

/** Visitors of a stage; null if no zone has this role, or the events do not name persons. */
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

/** A zone is busy from this share of the busiest one's visitors. */
const busyMin = 0.5
const areasMax = 10

const noStages: Funnel = { entrance: null, product: null, checkout: null, purchase: null }

const noZones = "No environment has zones. Draw them in the site."
const noTracks = "No tracks are stored for this time."
const noPersons =
  "Events of this time are anonymised or encrypted and do not distinguish visitors; entries are counted."

/** The busiest hour: the one in which most visits began, the earliest of several. */
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

const funnelWithReasons = (
  stages: Funnel,
  roles: ReadonlySet<ZoneRole>,
  uncounted: string | null,
  reasons: Reasons,
): Funnel => {
  for (const role of zoneRoles) {
    const reason = roles.has(role)
      ? uncounted ?? noPersons
      : `No zone has the role "${role}". Give it to one in the site.`
    reasons.orNull(`conversionFunnel.${role}`, stages[role], reason)
  }
  return stages
}

/** Zones with at least `busyMin` of the busiest one's visitors, or of its entries if visitors are unknown. */
const busyAreas = (zones: ReadonlyArray<ZoneVisits>): RetailReport["areas"] => {
  const isKnown = zones.every(({ visitors }) => visitors !== null)
  const crowdOf = ({ entries, visitors }: ZoneVisits): number => isKnown ? visitors! : entries
  const busiest = Math.max(0, ...zones.map(crowdOf))
  return zones
    .filter((zone) => crowdOf(zone) > 0 && crowdOf(zone) >= busyMin * busiest)
    .map((zone) => ({ ...zone, intensity: crowdOf(zone) / busiest }))
    .sort((a, b) => b.intensity - a.intensity || (a.zoneId < b.zoneId ? -1 : 1))
    .slice(0, areasMax)
}

/** Zones without visits in environments that do not count persons: their zeros do not show that nobody came. */
const unseenZones = (environments: ReadonlyArray<EnvironmentSums>, zones: ReadonlyArray<ZoneVisits>) => {
  const dark = environments.filter((of) => of.frames > 0 && countedFrames(of) === 0)
  const ids = new Set(dark.map(({ environmentId }) => environmentId))
  return new Set(zones.filter(({ entries, environmentId }) => entries === 0 && ids.has(environmentId)))
}

/** Records the reasons of null values of the zones. `unseen`: why the others are not known. */
const addZoneReasons = (
  zones: ReadonlyArray<ZoneVisits>,
  sells: boolean,
  unseen: string | null,
  reasons: Reasons,
): void => {
  if (zones.length === 0) {
    return reasons.note(unseen === null ? "zones" : "zones.visitorCount", unseen ?? noZones)
  }
  if (unseen !== null) reasons.note("zones.visitorCount", unseen)
  const isAnonymous = zones.some(({ visitors }) => visitors === null)
  if (isAnonymous) {
    reasons.note("zones.visitorCount", noPersons)
    reasons.note("heatMap.highTrafficAreas", "By entries, because visitors are not distinguished.")
  }
  if (zones.some(({ left }) => left === 0)) {
    reasons.note("zones.avgDwellTimeMinutes", "Null for zones without a completed stay.")
  }
  const noSale = `CSI does not measure purchases, and no zone has the role "purchase".`
  reasons.note("zones.conversionRate", !sells ? noSale : isAnonymous ? noPersons : "Null for zones without visitors.")
}

export const retailReport = (
  given: {
    readonly environments: ReadonlyArray<EnvironmentSums>
    readonly movement: Movement
    /** Visits by the start of the hour in which they began. */
    readonly arrivals: ReadonlyMap<number, number>
    readonly zones: ReadonlyArray<ZoneVisits>
    readonly stages: Funnel
    /** The roles of the zones. */
    readonly roles: ReadonlySet<ZoneRole>
  },
): RetailReport => {
  const reasons = createReasons()
  const { environments, movement } = given
  const sums = together(environments)
  const looked = countedFrames(sums) > 0 || movement.tracks > 0
  const unknown = sums.frames > 0 ? noCountReason(sums) : noTracks
  noteCounted(environments, reasons)
  const visits = reasons.orNull("traffic.totalVisitors", looked ? movement.begun : null, unknown)
  const bounds = { min: Math.max(0, ...environments.map(({ personMax }) => personMax)), max: movement.tracks }
  const unique = looked ? uniquePersons(bounds) : null
  const peak = peakHour(given.arrivals)
  const averageDwellMinutes = ratio(movement.dwellS / 60, movement.begun)
  const sells = given.roles.has("purchase")
  const unseen = unseenZones(environments, given.zones)
  const seen = given.zones.filter((zone) => !unseen.has(zone))
  const zones = given.zones.map((zone) => unseen.has(zone) ? { ...zone, visitors: null, buyers: null } : zone)
  const isDark = !looked && sums.frames > 0
  addZoneReasons(seen, sells, unseen.size > 0 ? noCountReason(sums) : null, reasons)
  return {
    totalVisitors: visits,
    uniqueVisitors: reasons.orNull("traffic.uniqueVisitors", unique, looked ? uniqueReason(bounds) : unknown),
    uniqueBounds: looked && bounds.min <= bounds.max ? bounds : null,
    peakHourMs: reasons.orNull(
      "traffic.peakHour",
      peak?.startMs ?? null,
      looked ? "No visit began in this time." : unknown,
    ),
    peakCount: looked ? peak?.count ?? 0 : reasons.orNull("traffic.peakCount", null, unknown),
    averageDwellMinutes: reasons.orNull(
      "traffic.averageDwellTimeMinutes",
      averageDwellMinutes,
      looked ? "No visit began in this time." : unknown,
    ),
    zones: zones.map((zone) => ({
      ...zone,
      averageDwellMinutes: ratio(zone.dwellS / 60, zone.left),
      conversionRate: !sells || zone.buyers === null || zone.visitors === null
        ? null
        : ratio(zone.buyers, zone.visitors),
    })),
    funnel: funnelWithReasons(isDark ? noStages : given.stages, given.roles, isDark ? unknown : null, reasons),
    areas: busyAreas(seen),
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
