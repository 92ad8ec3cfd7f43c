import { describe, expect, it } from "vitest"
import { bodyAt, bodyEnergiesOf } from "../../../core/imaging/body.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { stillEchoOf } from "../../../core/imaging/still-echo.ts"
import { breathing, type EchoWorld, gliding, middleS, standing, viewsOf } from "../../harness/echoes.ts"

const seat: Vector3 = [2.4, 3.1, 1]
const elsewhere: Vector3 = [4.5, 1.4, 1]

/** The section of the seat's own echo, with the places of all others known. */
const sectionOf = (world: EchoWorld, others: ReadonlyArray<Vector3> = []): number | null => {
  const views = viewsOf(world)
  const bodies = [seat, ...others].map((place) => bodyAt(views, place))
  return stillEchoOf(views, bodies, bodyEnergiesOf(bodies), 0).ownSectionM2
}

describe("the echo of a known place", () => {
  it("is that of a person who sits there, and grows with their section", () => {
    const small = sectionOf({ points: [breathing(seat, 0.1)], noiseRms: 0.005 })!
    const large = sectionOf({ points: [breathing(seat, 0.4)], noiseRms: 0.005 })!
    expect(small).toBeGreaterThan(0.02)
    expect(large / small).toBeGreaterThan(3)
    expect(large / small).toBeLessThan(5)
  })

  it("is gone when the place is empty", () => {
    expect(sectionOf({ points: [], noiseRms: 0.005 })).toBeLessThan(0.001)
  })

  it("is not caused by a person who sits elsewhere, known or not", () => {
    const world: EchoWorld = { points: [breathing(elsewhere, 0.3)], noiseRms: 0.005 }
    const own = sectionOf({ points: [breathing(seat, 0.3)], noiseRms: 0.005 })!
    expect(sectionOf(world)).toBeLessThan(own / 5)
    expect(sectionOf(world, [elsewhere])).toBeLessThan(own / 20)
  })

  it("is shared by two hypotheses at one place, so that neither is necessary", () => {
    const world: EchoWorld = { points: [breathing(seat, 0.3)], noiseRms: 0.005 }
    expect(sectionOf(world, [[seat[0] + 0.1, seat[1], seat[2]]])).toBeLessThan(sectionOf(world)! / 4)
  })

  it("remains while another person walks", () => {
    const walker = gliding(elsewhere, [-0.6, 0.5, 0], 0.3, middleS)
    const there = sectionOf({ points: [standing(seat, 0.3), walker], noiseRms: 0.005 }, [elsewhere])!
    const gone = sectionOf({ points: [walker], noiseRms: 0.005 }, [elsewhere])!
    expect(there).toBeGreaterThan(0.04)
    expect(there / gone).toBeGreaterThan(4)
  })
})
