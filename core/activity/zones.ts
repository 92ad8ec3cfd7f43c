/**
 * Zones of the floor plan, and the persons in them.
 *
 * Owns the geometry of a zone and the decision that a person entered or left it. Invariants: a person is in a zone
 * after `dwellS` inside, and out of it after as long outside by more than `marginM`, so that an estimate that
 * fluctuates at the edge counts once; every entry is followed by one exit, also when the person is lost.
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

export interface ZoneWatch {
  readonly step: (timeS: number, place: Place) => ReadonlyArray<ZoneChange>
  /** Ends the watch of a lost person: exits all entered zones, at the time of the last step. */
  readonly end: () => ReadonlyArray<ZoneChange>
  /** The zones that the person is in. */
  readonly inside: () => ReadonlyArray<Zone>
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

/** Watches one person in these zones. */
export const createZoneWatch = (zones: ReadonlyArray<Zone>): ZoneWatch => {
  const watched: ReadonlyArray<{ readonly zone: Zone; readonly latch: Latch }> = zones.map((zone) => ({
    zone,
    latch: createLatch({ onS: dwellS, offS: dwellS }),
  }))
  const enteredS = new Map<string, number>()
  let lastS = 0

  const leave = (zone: Zone, timeS: number): ZoneChange => {
    const dwellS = Math.max(0, timeS - (enteredS.get(zone.zoneId) ?? timeS))
    enteredS.delete(zone.zoneId)
    return { zone, entered: false, timeS, dwellS }
  }
  const inside = () => zones.filter(({ zoneId }) => enteredS.has(zoneId))

  return {
    step: (timeS, place) => {
      lastS = timeS
      return watched.flatMap(({ latch, zone }): ReadonlyArray<ZoneChange> => {
        const isIn = contains(zone.polygon, place) ||
          (latch.read().on && edgeDistanceM(zone.polygon, place) <= marginM)
        const { on, sinceS, turned } = latch.step(timeS, isIn)
        if (!turned) return []
        const atS = sinceS ?? timeS
        if (!on) return [leave(zone, atS)]
        enteredS.set(zone.zoneId, atS)
        return [{ zone, entered: true, timeS: atS, dwellS: null }]
      })
    },
    end: () => inside().map((zone) => leave(zone, lastS)),
    inside,
  }
}
