import { describe, expect, it } from "vitest"
import { type FloorPlan, footprints, isWithin, type Place, roomAt } from "../../../sim/rooms/floor-plan.ts"
import { createPlanner } from "../../../sim/people/planner.ts"
import { createRoute } from "../../../sim/people/route.ts"
import { drawPlace } from "../../../sim/people/space.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { home } from "../bodies/home.ts"

const samples = (way: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const route = createRoute(way, false)
  const count = Math.ceil(route.lengthM / 0.05)
  return Array.from({ length: count + 1 }, (_, i): Place => {
    const alongM = (route.lengthM * i) / count
    return [route.xAt(alongM), route.yAt(alongM)]
  })
}

describe("the planner", () => {
  it("finds ways between any free places that keep 0.35 m from furniture and 0.45 m from walls", () => {
    const planner = createPlanner(home)
    const random = createRandom(5, "places")
    for (let trial = 0; trial < 60; trial++) {
      const from = drawPlace(home, planner, random, () => true)!
      const to = drawPlace(home, planner, random, () => true)!
      if (!planner.isFree(from, 1) || !planner.isFree(to, 1)) continue
      const way = planner.plan(from, to)
      expect(way, `${from} to ${to}`).not.toBeNull()
      for (const place of samples(way!)) {
        const isAtDoor = Math.hypot(place[0] - 6, place[1] - 2.2) < 0.6
        expect(isAtDoor || footprints(home).every((piece) => !isWithin(place, piece, 0.35)), `${place}`).toBe(true)
        expect(isAtDoor || home.rooms.some((room) => isWithin(place, room, -0.45)), `${place}`).toBe(true)
      }
    }
  })

  it("goes from room to room through the middle of the door", () => {
    const way = createPlanner(home).plan([1, 1], [8, 1])!
    expect(way.some(([x, y]) => Math.hypot(x - 6, y - 2.2) < 1e-9)).toBe(true)
    for (const place of samples(way)) {
      if (Math.abs(place[0] - 6) < 0.3) expect(Math.abs(place[1] - 2.2)).toBeLessThan(0.15)
    }
  })

  it("goes straight without obstacles", () => {
    expect(createPlanner(home).plan([1, 1], [5, 1.2])).toEqual([[1, 1], [5, 1.2]])
  })

  it("reduces clearances between close furniture, and reports when there is no way", () => {
    const narrow: FloorPlan = { ...home, obstacles: [{ low: [3, 0.8], high: [3.6, 4.9] }] }
    const way = createPlanner(narrow).plan([1, 4], [5, 2])!
    expect(Math.min(...samples(way).map(([, y]) => y))).toBeGreaterThan(0.1)
    const shut: FloorPlan = { ...home, obstacles: [{ low: [3, 0], high: [3.6, 5] }] }
    expect(createPlanner(shut).plan([1, 4], [5, 2])).toBeNull()
    expect(createPlanner({ ...home, doors: [] }).plan([1, 1], [8, 1])).toBeNull()
    expect(createPlanner(home).plan([1, 1], [20, 1])).toBeNull()
  })

  it("finds the room of a place", () => {
    expect(roomAt(home, [1, 1])?.roomId).toBe("living")
    expect(roomAt(home, [7, 1])?.roomId).toBe("bedroom")
    expect(roomAt(home, [3, -1])).toBeNull()
  })
})

describe("a route", () => {
  it("has no corner sharper than one can walk, and slows down to it and to the end", () => {
    const route = createRoute([[0, 0], [3, 0], [3, 3], [0, 3]], false)
    let heading = route.headingAt(0)
    for (let alongM = 0.05; alongM < route.lengthM; alongM += 0.05) {
      const next = route.headingAt(alongM)
      expect(Math.abs(next - heading) / 0.05).toBeLessThan(7)
      expect(route.speedMaxAt(alongM - 0.025) * Math.abs(next - heading) / 0.05).toBeLessThan(3.5)
      heading = next
    }
    expect(heading).toBeCloseTo(Math.PI, 1)
    expect(route.speedMaxAt(route.lengthM)).toBe(0)
    expect(route.lengthM).toBeGreaterThan(8)
    expect(route.lengthM).toBeLessThan(9)
  })

  it("may run out in full walk", () => {
    const route = createRoute([[0, 0], [3, 0]], true)
    expect(route.speedMaxAt(2.99)).toBe(Infinity)
  })
})
