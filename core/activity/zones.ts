/**
 * Zones of the floor plan, and the persons in them.
 *
 * Owns the geometry of a zone and the decision that a person entered or left it. Invariants: a person is in a zone
 * after `dwellS` inside, and out of it after as long outside by more than `marginM`, so that an estimate that
 * fluctuates at the edge counts once; every entry is followed by one exit, also when the person is lost, other zones are
 * watched or another watch continues.
 */
import type { Place } from "../imaging/geometry.ts"
import { createLatch, type Latch } from "./hysteresis.ts"

/** Purpose of a zone: a bed exempts from inactivity, a watched zone must not be entered. */
export const zoneKinds = ["general", "bed", "watched"] as const
type ZoneKind = (typeof zoneKinds)[number]

/** Role of a zone in a shop, as set by its operator: the stages of a visit. The signal cannot provide it. */
export const zoneRoles = ["entrance", "product", "checkout", "purchase"] as const
export type ZoneRole = (typeof zoneRoles)[number]

/** A simple polygon, its corners in order, metres on the floor plan. */
export type Polygon = ReadonlyArray<readonly [x: number, y: number]>

export interface Zone {
  readonly zoneId: string
  readonly name: string
  readonly kind: ZoneKind
  readonly role?: ZoneRole
  readonly polygon: Polygon
}

export interface ZoneChange {
  readonly zone: Zone
  readonly entered: boolean
  /** When the person crossed the edge, or was last detected. */
  readonly timeS: number
  /** Time that the person was in the zone; null on entry. */
  readonly dwellS: number | null
}

/** A stay in a zone that has not ended. */
export interface ZoneVisit {
  readonly zone: Zone
  readonly enteredS: number
}

export interface ZoneWatch {
  readonly step: (timeS: number, place: Place) => ReadonlyArray<ZoneChange>
  /**
   * Watches these zones from the next step on. A zone with the id of an earlier one is the same zone, and visits of it continue; zones that
   * are gone are exited, at the time of the last step.
   */
  readonly useZones: (zones: ReadonlyArray<Zone>) => ReadonlyArray<ZoneChange>
  /** Exits all entered zones, at the time of the last step; later steps enter them again. */
  readonly end: () => ReadonlyArray<ZoneChange>
  /** The zones that the person is in, and since when. */
  readonly visits: () => ReadonlyArray<ZoneVisit>
}

/** Minimum time on the other side of an edge. */
const dwellS = 1
/** Standard deviations of places are 0.2 m or more; a person who sways on an edge does not leave. */
const marginM = 0.3

/** Whether a point lies in a polygon: a ray from it crosses the edge an odd number of times. */
export const contains = (polygon: Polygon, { x, y }: Place): boolean => {
  let inside = false
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!
    if ((ay > y) !== (by > y) && x < ax + ((bx - ax) * (y - ay)) / (by - ay)) inside = !inside
  })
  return inside
}

/** Distance of a point to the edge of a polygon. */
export const edgeDistanceM = (polygon: Polygon, { x, y }: Place): number => {
  const distances = polygon.map(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!
    const lengthSquared = (bx - ax) ** 2 + (by - ay) ** 2
    const along = lengthSquared === 0 ? 0 : ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / lengthSquared
    const t = Math.max(0, Math.min(1, along))
    return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
  })
  return Math.min(...distances)
}

/** Area of a polygon, square metres: the shoelace formula. */
export const areaM2 = (polygon: Polygon): number =>
  Math.abs(polygon.reduce((sum, [ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length]!
    return sum + ax * by - bx * ay
  }, 0)) / 2

interface WatchedZone {
  readonly zone: Zone
  readonly latch: Latch
  /** Null: the person is not in the zone. */
  readonly enteredS: number | null
}

const watchedZone = (zone: Zone, enteredS: number | null = null): WatchedZone => ({
  zone,
  latch: createLatch({ onS: dwellS, offS: dwellS }, enteredS !== null),
  enteredS,
})

const isVisited = (watched: WatchedZone): watched is WatchedZone & ZoneVisit => watched.enteredS !== null

const exitOf = ({ enteredS, zone }: ZoneVisit, timeS: number): ZoneChange => ({
  zone,
  entered: false,
  timeS,
  dwellS: Math.max(0, timeS - enteredS),
})

/** Watches one person in no zones but those of these visits, which another watch had until `lastS`. */
export const continueZoneWatch = (visits: ReadonlyArray<ZoneVisit>, lastS: number): ZoneWatch => {
  let watched: ReadonlyArray<WatchedZone> = visits.map(({ enteredS, zone }) => watchedZone(zone, enteredS))
  const current = () => watched.filter(isVisited)
  return {
    step: (timeS, place) => {
      lastS = timeS
      const changes: Array<ZoneChange> = []
      watched = watched.map((each) => {
        const { latch, zone } = each
        const isIn = contains(zone.polygon, place) ||
          (latch.read().on && edgeDistanceM(zone.polygon, place) <= marginM)
        const { on, sinceS, turned } = latch.step(timeS, isIn)
        if (!turned) return each
        const atS = sinceS ?? timeS
        if (on) changes.push({ zone, entered: true, timeS: atS, dwellS: null })
        else if (isVisited(each)) changes.push(exitOf(each, atS))
        return { ...each, enteredS: on ? atS : null }
      })
      return changes
    },
    useZones: (zones) => {
      const gone = current().filter((visit) => !zones.some(({ zoneId }) => zoneId === visit.zone.zoneId))
      watched = zones.map((zone) => {
        const before = watched.find((each) => each.zone.zoneId === zone.zoneId)
        return before === undefined ? watchedZone(zone) : { ...before, zone }
      })
      return gone.map((visit) => exitOf(visit, lastS))
    },
    end: () => {
      const exits = current().map((visit) => exitOf(visit, lastS))
      watched = watched.map(({ zone }) => watchedZone(zone))
      return exits
    },
    visits: () => current().map(({ enteredS, zone }) => ({ zone, enteredS })),
  }
}

/** Watches one person in these zones. */
export const createZoneWatch = (zones: ReadonlyArray<Zone>): ZoneWatch => {
  const watch = continueZoneWatch([], 0)
  watch.useZones(zones)
  return watch
}
