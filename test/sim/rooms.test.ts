import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { createDoorLeaf, createFan, createPet, type Fixture } from "../../sim/simulation/fixtures.ts"
import { fresnel, materialNames, permittivityOf, wallLossDb } from "../../sim/rooms/materials.ts"
import { bounceOrders, furnish, imageIn, surfacesOf, throughWallsDb } from "../../sim/rooms/room.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { boxRoom, range } from "./radio-room.ts"

const modulus = ({ im, re }: { readonly re: number; readonly im: number }): number => Math.hypot(re, im)

describe("materials", () => {
  it("have the permittivity of ITU-R P.2040-1", () => {
    // Conductivity 0.0326 f^0.8095 S/m, over 2 pi f e0.
    const concrete = permittivityOf("concrete", 5e9)
    expect(concrete.re).toBe(5.31)
    expect(-concrete.im).toBeCloseTo((0.0326 * 5 ** 0.8095) / (2 * Math.PI * 5e9 * 8.854e-12), 3)
    expect(permittivityOf("brick", 2.4e9)).toEqual({ re: 3.75, im: -0.038 / (2 * Math.PI * 2.4e9 * 8.8541878128e-12) })
  })

  it.each(materialNames)("reflect by Fresnel's coefficients: %s", (material) => {
    const frequencyHz = 2.437e9
    const n = Math.sqrt(permittivityOf(material, frequencyHz).re)
    const normal = fresnel(material, 1, frequencyHz)
    expect(modulus(normal.te)).toBeCloseTo((n - 1) / (n + 1), 1)
    expect(normal.te.re).toBeCloseTo(-normal.tm.re, 12)
    expect(normal.te.im).toBeCloseTo(-normal.tm.im, 12)
    const grazing = fresnel(material, 0, frequencyHz)
    expect(grazing.te.re).toBeCloseTo(-1, 9)
    expect(grazing.tm.re).toBeCloseTo(-1, 9)
    for (const cos of range(0, 1, 0.05)) {
      const { te, tm } = fresnel(material, cos, frequencyHz)
      expect(modulus(te)).toBeLessThanOrEqual(1)
      expect(modulus(tm)).toBeLessThanOrEqual(modulus(te) + 1e-12)
    }
    // Almost none of the parallel field is reflected at Brewster's angle, tan = n.
    expect(modulus(fresnel(material, 1 / Math.sqrt(1 + n * n), frequencyHz).tm)).toBeLessThan(0.06)
    expect(wallLossDb(material)).toBeGreaterThanOrEqual(3)
    expect(wallLossDb(material)).toBeLessThanOrEqual(12)
  })

  it("shift the phase when they conduct", () => {
    expect(Math.abs(fresnel("brick", 0.5, 2.437e9).te.im)).toBeGreaterThan(0.005)
  })
})

describe("a room", () => {
  const room = boxRoom([6, 5, 2.8])

  it("mirrors points in its six surfaces, and has 25 sequences of at most two bounces", () => {
    const images = surfacesOf(room).map((surface) => imageIn(surface, [1, 2, 0.5]))
    expect(images).toEqual([[-1, 2, 0.5], [11, 2, 0.5], [1, -2, 0.5], [1, 8, 0.5], [1, 2, -0.5], [1, 2, 5.1]])
    const surfaces = surfacesOf(room)
    const start: Vector3 = [1, 2, 0.5]
    const places = bounceOrders.map((order) =>
      order.reduce((point, bounce) => imageIn(surfaces[bounce]!, point), start)
    )
    expect(bounceOrders.length).toBe(25)
    expect(new Set(places.map(String)).size).toBe(25)
  })

  it("attenuates paths through its walls, less at openings", () => {
    const open = { ...room, openings: [{ surface: "east", fromM: 1, toM: 2, heightM: 2 }] as const }
    const loss = (y: number, z = 1): number => throughWallsDb(open, 5, y, z, 7, y, z)
    expect(throughWallsDb(open, 1, 1, 1, 5, 4, 2)).toBe(0)
    expect(loss(4)).toBe(12)
    expect(loss(1.5)).toBe(0)
    expect(loss(1.5, 2.5)).toBe(12)
    expect(loss(2.15)).toBeCloseTo(6, 9)
    expect(throughWallsDb(open, 5, 4, 1, 7, 6, 1)).toBe(24)
    expect(throughWallsDb(open, 5, 4, 1, 5, 4, 4)).toBe(12)
  })

  it("is furnished inside", () => {
    const furniture = furnish(room.size, 40, createRandom(1, "furniture"))
    expect(furniture.length).toBe(40)
    for (const { position, rcsM2 } of furniture) {
      position.forEach((value, axis) => {
        expect(value).toBeGreaterThan(0)
        expect(value).toBeLessThan(room.size[axis]!)
      })
      expect(rcsM2).toBeGreaterThanOrEqual(0.1)
      expect(rcsM2).toBeLessThanOrEqual(1)
    }
  })
})

/** Greatest speed of any point of a fixture from `fromS` to `toS`. */
const speedMax = ({ at, mover }: Fixture, fromS: number, toS: number, stepS: number): number => {
  at(fromS)
  let before = mover.points.slice()
  let most = 0
  for (const timeS of range(fromS + stepS, toS, stepS)) {
    at(timeS)
    for (let i = 0; i < before.length; i += 3) {
      const moved = Math.hypot(...[0, 1, 2].map((axis) => mover.points[i + axis]! - before[i + axis]!))
      most = Math.max(most, moved / stepS)
    }
    before = mover.points.slice()
  }
  return most
}

describe("fixtures", () => {
  const fan = {
    position: [3, 2, 1] as const,
    radiusM: 0.2,
    blades: 3,
    turnsPerSecond: 10,
    headingRad: 0.5,
    rcsM2: 0.06,
  }

  it("fans turn at their rate in a circle, no two blades alike", () => {
    const still = createFan({ ...fan, kind: "standing", swingRad: 0, swingSeconds: 10 })
    const speed = 2 * Math.PI * 10 * 0.95 * 0.2
    expect(Math.abs(speedMax(still, 0, 0.2, 1e-4) / speed - 1)).toBeLessThan(0.02)
    const sums: Array<number> = []
    const firsts: Array<number> = []
    for (const timeS of range(0, 10, 1e-3)) {
      still.at(timeS)
      sums.push(still.mover.rcsM2.reduce((sum, rcs) => sum + rcs, 0))
      firsts.push(still.mover.rcsM2[0]!)
      // The circle stands across the heading.
      const across = (still.mover.points[0]! - 3) * Math.cos(0.5) + (still.mover.points[1]! - 2) * Math.sin(0.5)
      expect(Math.abs(across)).toBeLessThan(0.01)
    }
    const mean = sums.reduce((sum, value) => sum + value, 0) / sums.length
    expect(Math.abs(mean / 0.06 - 1)).toBeLessThan(0.15)
    expect(Math.max(...firsts) / Math.min(...firsts)).toBeGreaterThan(5)
    expect(new Set([...still.mover.rcsM2].map((rcs) => rcs.toFixed(6))).size).toBe(3)
    const ceiling = createFan({ ...fan, kind: "ceiling", swingRad: 0, swingSeconds: 10 })
    ceiling.at(0.37)
    for (let i = 2; i < ceiling.mover.points.length; i += 3) {
      expect(Math.abs(ceiling.mover.points[i]! - 1)).toBeLessThan(0.01)
    }
  })

  it("fans keep their rate within a percent, not exactly", () => {
    const still = createFan({ ...fan, kind: "standing", turnsPerSecond: 2, swingRad: 0, swingSeconds: 10 })
    let turns = 0
    let above = true
    const passes: Array<number> = []
    for (const timeS of range(0, 60, 1e-3)) {
      still.at(timeS)
      const now = still.mover.points[2]! > 1
      if (now && !above) {
        turns++
        passes.push(timeS)
      }
      above = now
    }
    expect(Math.abs(turns - 120)).toBeLessThanOrEqual(2)
    const periods = passes.slice(1).map((timeS, i) => timeS - passes[i]!)
    expect(Math.max(...periods) - Math.min(...periods)).toBeGreaterThan(0.003)
    expect(Math.max(...periods) - Math.min(...periods)).toBeLessThan(0.015)
  })

  it("standing fans swing", () => {
    const of = (swingRad: number): (timeS: number) => number => {
      const standing = createFan({ ...fan, kind: "standing", swingRad, swingSeconds: 10 })
      return (timeS) => {
        standing.at(timeS)
        const [x, y] = standing.mover.points
        return Math.atan2(y! - 2, x! - 3)
      }
    }
    const turned = (timeS: number): number => Math.tan(of(0.7)(timeS) - of(0)(timeS))
    expect(turned(2.5)).toBeCloseTo(Math.tan(0.7), 6)
    expect(turned(5)).toBeCloseTo(0, 6)
    expect(turned(7.5)).toBeCloseTo(Math.tan(-0.7), 6)
  })

  it("doors open and close about their hinge without a jump", () => {
    const door = createDoorLeaf({
      hinge: [1, 0],
      closedRad: 0,
      openRad: Math.PI / 2,
      widthM: 0.9,
      heightM: 2,
      rcsM2: 0.5,
      movesS: [2, 6],
      moveSeconds: 1.5,
    })
    const angle = (timeS: number): number => {
      door.at(timeS)
      return Math.atan2(door.mover.points[1]!, door.mover.points[0]! - 1)
    }
    expect([angle(1), angle(4), angle(9)].map((value) => value.toFixed(6))).toEqual([
      "0.000000",
      "1.570796",
      "0.000000",
    ])
    expect(angle(2.75)).toBeCloseTo(Math.PI / 4, 6)
    const peak = (1.875 * (Math.PI / 2) / 1.5) * 0.8 * 0.9
    expect(speedMax(
      createDoorLeaf({
        hinge: [1, 0],
        closedRad: 0,
        openRad: Math.PI / 2,
        widthM: 0.9,
        heightM: 2,
        rcsM2: 0.5,
        movesS: [2, 6],
        moveSeconds: 1.5,
      }),
      0,
      9,
      0.01,
    )).toBeCloseTo(peak, 1)
  })

  it("pets stay on their floor, walk and sleep, and never jump", () => {
    const description = { area: [1, 4, 1, 3] as const, rcsM2: 0.03, heightM: 0.25, speedMps: 0.6, sleepShare: 0.6 }
    const pet = createPet(description, createRandom(4, "pet"))
    const { points, rcsM2 } = pet.mover
    expect(rcsM2.reduce((sum, rcs) => sum + rcs, 0)).toBeCloseTo(0.03, 9)
    let lying = 0
    let walked = 0
    let before = [points[0]!, points[1]!]
    const times = range(0, 4000, 0.5)
    for (const timeS of times) {
      pet.at(timeS)
      for (let i = 0; i < points.length; i += 3) {
        expect(points[i]!).toBeGreaterThan(0.7)
        expect(points[i]!).toBeLessThan(4.3)
        expect(points[i + 1]!).toBeGreaterThan(0.7)
        expect(points[i + 1]!).toBeLessThan(3.3)
      }
      if (points[8]! < 0.15) lying++
      walked += Math.hypot(points[0]! - before[0]!, points[1]! - before[1]!)
      before = [points[0]!, points[1]!]
    }
    expect(lying / times.length).toBeGreaterThan(0.35)
    expect(lying / times.length).toBeLessThan(0.8)
    expect(walked).toBeGreaterThan(50)
    // 1.875 of the mean speed on the way, and the sweep of a turn.
    expect(speedMax(createPet(description, createRandom(4, "pet")), 0, 300, 0.01)).toBeLessThan(2.2)
  })
})
