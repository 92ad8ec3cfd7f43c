import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  areaM2,
  contains,
  continueZoneWatch,
  createZoneWatch,
  edgeDistanceM,
  type Polygon,
  type Zone,
} from "../../../core/activity/zones.ts"

const square: Polygon = [[1, 1], [3, 1], [3, 3], [1, 3]]
const ell: Polygon = [[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]]
const zone = (zoneId: string, polygon: Polygon): Zone => ({ zoneId, name: zoneId, kind: "general", polygon })

/** The changes of a person who moves along these places, ten a second. */
const along = (zones: ReadonlyArray<Zone>, places: ReadonlyArray<readonly [number, number]>) => {
  const watch = createZoneWatch(zones)
  const changes = places.flatMap(([x, y], i) => watch.step(i / 10, { x, y }))
  return {
    watch,
    crossings: changes.map(({ entered, zone: { zoneId } }) => `${entered ? "+" : "-"}${zoneId}`),
    changes,
  }
}
const stay = (x: number, y: number, seconds: number) =>
  Array.from({ length: Math.round(10 * seconds) }, () => [x, y] as const)

describe("a polygon", () => {
  it("contains the points inside it, also where it is not convex", () => {
    expect(contains(ell, { x: 0.5, y: 3.5 })).toBe(true)
    expect(contains(ell, { x: 3.5, y: 0.5 })).toBe(true)
    expect(contains(ell, { x: 2, y: 2 })).toBe(false)
    expect(areaM2(ell)).toBe(7)
    expect(areaM2([...ell].reverse())).toBe(7)
  })

  it("agrees with the distances of a rectangle, from any first corner", () => {
    fc.assert(fc.property(
      fc.double({ min: -2, max: 6, noNaN: true }),
      fc.double({ min: -2, max: 6, noNaN: true }),
      fc.integer({ min: 0, max: 3 }),
      (x, y, first) => {
        const turned = square.map((_, i) => square[(i + first) % 4]!)
        const distances = [x - 1, 3 - x, y - 1, 3 - y]
        const isIn = distances.every((distance) => distance > 0)
        fc.pre(distances.every((distance) => Math.abs(distance) > 1e-9))
        expect(contains(turned, { x, y })).toBe(isIn)
        const outside = Math.hypot(Math.max(0, 1 - x, x - 3), Math.max(0, 1 - y, y - 3))
        expect(edgeDistanceM(turned, { x, y })).toBeCloseTo(isIn ? Math.min(...distances) : outside, 9)
      },
    ))
  })
})

describe("the zones of a person", () => {
  const zones = [zone("square", square), zone("ell", ell)]

  it("enters and leaves, dated at the edge, with the time spent", () => {
    const { changes, crossings } = along(zones, [...stay(2, 2, 5), ...stay(6, 6, 3)])
    expect(crossings).toEqual(["+square", "-square"])
    expect(changes.map(({ timeS }) => timeS)).toEqual([0, 5])
    expect(changes[1]!.dwellS).toBe(5)
  })

  it("ignores a pass of less than a second, and fluctuation on the edge", () => {
    expect(along(zones, [...stay(6, 6, 2), ...stay(2, 2, 0.8), ...stay(6, 6, 3)]).crossings).toEqual([])
    const wavers = Array.from({ length: 300 }, (_, i) => [i % 7 < 3 ? 3.2 : 2.9, 2] as const)
    expect(along(zones, [...stay(2, 2, 2), ...wavers]).crossings).toEqual(["+square"])
  })

  it("can be in two zones that overlap", () => {
    const { crossings, watch } = along([zone("a", square), zone("b", square)], stay(2, 2, 2))
    expect(crossings).toEqual(["+a", "+b"])
    expect(watch.visits().map(({ zone: { zoneId } }) => zoneId)).toEqual(["a", "b"])
  })

  it("leaves all zones once when the person is lost", () => {
    const { watch } = along(zones, stay(2, 2, 3))
    expect(watch.end().map(({ dwellS, entered }) => [entered, dwellS])).toEqual([[false, 2.9]])
    expect(watch.end()).toEqual([])
    expect(watch.visits()).toEqual([])
  })

  it("enters again, and leaves once, when a lost person is found in the zone", () => {
    const { watch } = along(zones, stay(2, 2, 3))
    watch.end()
    const later = [...stay(2, 2, 3), ...stay(6, 6, 3)]
    const changes = later.flatMap(([x, y], i) => watch.step(60 + i / 10, { x, y }))
    expect(changes.map(({ dwellS, entered }) => [entered, dwellS])).toEqual([[true, null], [false, 3]])
  })

  it("keeps its visits of the zones that stay, and leaves those that are gone", () => {
    const { watch } = along([zone("a", square), zone("b", square)], stay(2, 2, 3))
    expect(watch.useZones([zone("b", square), zone("c", square)])).toMatchObject([
      { zone: { zoneId: "a" }, entered: false, timeS: 2.9, dwellS: 2.9 },
    ])
    const changes = [...stay(2, 2, 2), ...stay(6, 6, 3)].flatMap(([x, y], i) => watch.step(3 + i / 10, { x, y }))
    expect(changes.map(({ dwellS, entered, zone: { zoneId } }) => [entered, zoneId, dwellS])).toEqual([
      [true, "c", null],
      [false, "b", 5],
      [false, "c", 2],
    ])
  })

  it("is the same zone with another polygon, which the person leaves when it does not contain the place", () => {
    const { watch } = along([zone("a", square)], stay(2, 2, 3))
    expect(watch.useZones([zone("a", [[5, 5], [7, 5], [7, 7], [5, 7]])])).toEqual([])
    const changes = stay(2, 2, 3).flatMap(([x, y], i) => watch.step(3 + i / 10, { x, y }))
    expect(changes).toMatchObject([{ entered: false, timeS: 3, dwellS: 3 }])
  })

  it("continues the visits of another watch", () => {
    const { watch } = along(zones, stay(2, 2, 3))
    const other = continueZoneWatch(watch.visits(), 2.9)
    expect(other.useZones(zones)).toEqual([])
    const changes = [...stay(2, 2, 2), ...stay(6, 6, 3)].flatMap(([x, y], i) => other.step(4 + i / 10, { x, y }))
    expect(changes).toMatchObject([{ entered: false, timeS: 6, dwellS: 6 }])
    expect(continueZoneWatch(watch.visits(), 2.9).useZones([])).toMatchObject([{ entered: false, timeS: 2.9 }])
  })
})
