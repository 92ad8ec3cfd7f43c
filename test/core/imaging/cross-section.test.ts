import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bodyAt, bodyEnergiesOf } from "../../../core/imaging/body.ts"
import { crossSectionOf } from "../../../core/imaging/cross-section.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { echoEnergyOf, type EchoPoint, gliding, linksOf, middleS, standing, viewsOf } from "../../harness/echoes.ts"

const sectionsOf = (points: ReadonlyArray<EchoPoint>, places: ReadonlyArray<Vector3>, noiseRms = 0) => {
  const views = viewsOf({ points, noiseRms })
  const energies = bodyEnergiesOf(places.map((place) => bodyAt(views, place)))
  return places.map((place, k) => crossSectionOf(views, energies, k, place))
}

const place: fc.Arbitrary<Vector3> = fc.tuple(
  fc.double({ min: 1, max: 5, noNaN: true }),
  fc.double({ min: 1, max: 4, noNaN: true }),
  fc.constant(1),
)
const rcsM2 = fc.double({ min: 0.05, max: 1, noNaN: true })
const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

describe("the cross section of a body", () => {
  const views = viewsOf({ points: [] })
  const { bands } = views[0]!.state.plan

  /** The energies of bodies of these sections on each link, with all the moving energy in one band. */
  const energiesOf = (at: Vector3, bodies: ReadonlyArray<{ movingM2: number; stillM2: number }>, band: number) =>
    linksOf().map(({ rx, tx }) =>
      bodies.map(({ movingM2, stillM2 }) => {
        const energies = new Float64Array(bands)
        energies[0] = echoEnergyOf(tx, rx, at, stillM2)
        energies[band] = echoEnergyOf(tx, rx, at, movingM2)
        return energies
      })
    )

  it("follows the radar equation from the energies of all links, in any band", () => {
    fc.assert(
      fc.property(place, rcsM2, rcsM2, fc.integer({ min: 1, max: bands - 1 }), (at, movingM2, stillM2, band) => {
        const other = { movingM2: 0.7, stillM2: 0.6 }
        const read = crossSectionOf(views, energiesOf(at, [other, { movingM2, stillM2 }], band), 1, at)
        expect(read.movingM2).toBeCloseTo(movingM2, 9)
        expect(read.stillM2).toBeCloseTo(stillM2, 9)
      }),
      { seed: 1 },
    )
  })

  it("is at most halved by two links that see the body a hundred times too strong or hardly at all", () => {
    const at: Vector3 = [2.4, 3.1, 1]
    const energies = energiesOf(at, [{ movingM2: 0.3, stillM2: 0 }], 3)
    const of = (gains: ReadonlyArray<number>) =>
      crossSectionOf(
        views,
        energies.map(([own], l) => [own!.map((energy) => energy * (gains[l] ?? 1))]),
        0,
        at,
      ).movingM2
    expect(of([100, 100])).toBeLessThan(3 * 0.3)
    expect(of([0, 0])).toBeGreaterThan(0.3 / 2.5)
    expect(of([100, 0])).toBeCloseTo(0.3, 1)
  })

  it("measures still and walking bodies within a small factor, never as larger", () => {
    // Alignment removes a part of each echo, more where a body is near a line of sight, and a walker leaves its place.
    const stood: Array<number> = []
    const walked: Array<number> = []
    for (let x = 1; x <= 5; x++) {
      for (let y = 1; y <= 4; y++) {
        const at: Vector3 = [x, y, 1]
        const angle = 7 * x + 3 * y
        const walker = gliding(at, [0.5 * Math.cos(angle), 0.5 * Math.sin(angle), 0], 0.3, middleS)
        const still = sectionsOf([standing(at, 0.3)], [at])[0]!
        expect(still.movingM2).toBeLessThan(1e-6)
        stood.push(still.stillM2 / 0.3)
        walked.push(sectionsOf([walker], [at])[0]!.movingM2 / 0.3)
      }
    }
    for (const [ratios, half] of [[stood, 0.5], [walked, 0.35]] as const) {
      expect(Math.min(...ratios)).toBeGreaterThan(0.15)
      expect(Math.max(...ratios)).toBeLessThan(1)
      expect(median(ratios)).toBeGreaterThan(half - 0.1)
      expect(median(ratios)).toBeLessThan(half + 0.2)
    }
  }, 20_000)

  it("is proportional, and 0 without energy", () => {
    const at: Vector3 = [2.4, 3.1, 1]
    const of = (m2: number) => sectionsOf([gliding(at, [0.4, 0.3, 0], m2, middleS)], [at])[0]!.movingM2
    expect(of(0.8) / of(0.2)).toBeGreaterThan(3.6)
    expect(of(0.8) / of(0.2)).toBeLessThan(4.1)
    expect(of(0)).toBeCloseTo(0, 12)
  })

  it("is unaffected by another body, and hardly by noise", () => {
    const places: ReadonlyArray<Vector3> = [[1.6, 3.4, 1], [4.4, 1.6, 1]]
    const points = [
      gliding(places[0]!, [0.5, -0.2, 0], 0.4, middleS),
      gliding(places[1]!, [-0.3, 0.6, 0], 0.15, middleS),
    ]
    const alone = points.map((point, k) => sectionsOf([point], [places[k]!])[0]!.movingM2)
    for (const noiseRms of [0, 0.05]) {
      for (const [k, { movingM2 }] of sectionsOf(points, places, noiseRms).entries()) {
        expect(movingM2 / alone[k]!, `body ${k}`).toBeGreaterThan(0.75)
        expect(movingM2 / alone[k]!, `body ${k}`).toBeLessThan(1.5)
      }
    }
    const [, absent] = sectionsOf(points.slice(0, 1), places)
    expect(absent!.movingM2).toBeLessThan(0.03)
  })
})
