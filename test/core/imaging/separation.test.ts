import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bodyAt, bodyEnergiesOf } from "../../../core/imaging/body.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { inner, times } from "../../../core/imaging/hermitian.ts"
import { unpack } from "../../../core/imaging/packed-hermitian.ts"
import { type BodyView, energiesOf, remainderOf, weightsBeside } from "../../../core/imaging/separation.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { breathing, echoEnergyOf, gliding, linksOf, middleS, viewsOf } from "../../harness/echoes.ts"

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)
const movingOf = (bands: Float64Array): number => sum(bands.subarray(1))
const links = linksOf()

const left: Vector3 = [1.6, 3.4, 1]
const right: Vector3 = [4.4, 1.6, 1]
const ofLeft = gliding(left, [0.5, -0.2, 0], 0.3, middleS)
const ofRight = gliding(right, [-0.3, 0.6, 0], 0.15, middleS)

/** Median over links of a ratio. */
const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

describe("the view of a place on a link", () => {
  it("is the energy of a body there by the radar equation, where alignment keeps its direction", () => {
    const views = viewsOf({ points: [ofLeft] })
    const seen = bodyAt(views, left).views
    const ratios = views.flatMap((_, l) => {
      const { along, norm } = seen[l]!
      const { rx, tx } = links[l]!
      return norm < 0.3 ? [] : [movingOf(along) / norm ** 2 / echoEnergyOf(tx, rx, left, 0.3)]
    })
    expect(ratios.length).toBeGreaterThan(8)
    expect(median(ratios)).toBeGreaterThan(0.85)
    expect(median(ratios)).toBeLessThan(1.15)
  })

  it("is 0 on average with noise only", () => {
    const views = viewsOf({ points: [], noiseRms: 0.1 })
    const shares = views.map(({ moments }, l) => {
      const { along, norm } = bodyAt(views, left).views[l]!
      // The noise of the slow band is an upper bound.
      return sum(along.subarray(2)) / (norm * sum(moments.noise.subarray(2)))
    })
    expect(Math.abs(sum(shares) / shares.length)).toBeLessThan(0.15)
  })

  it("has a direction outside the aligned ones, of energy at most 1", () => {
    const views = viewsOf({ points: [], noiseRms: 0.1 })
    for (const [l, { norm, vector }] of bodyAt(views, right).views.entries()) {
      expect(norm).toBeLessThanOrEqual(1)
      expect(inner(vector, vector)[0]).toBeCloseTo(norm, 12)
      for (const u of views[l]!.state.aligned) expect(Math.hypot(...inner(u, vector))).toBeLessThan(1e-9)
    }
  })
})

describe("the energies of bodies", () => {
  it("are separated: each has the same energy with and without the other", () => {
    const places = [left, right]
    const both = viewsOf({ points: [ofLeft, ofRight] })
    const energies = bodyEnergiesOf(places.map((place) => bodyAt(both, place)))
    for (const [k, point] of [ofLeft, ofRight].entries()) {
      const views = viewsOf({ points: [point] })
      const alone = bodyEnergiesOf([bodyAt(views, places[k]!)])
      const ratios = views.map((_, l) => movingOf(energies[l]![k]!) / movingOf(alone[l]![0]!))
      expect(median(ratios), `body ${k}`).toBeGreaterThan(0.7)
      expect(median(ratios), `body ${k}`).toBeLessThan(1.4)
    }
  })

  it("give an absent body little of a present one", () => {
    const views = viewsOf({ points: [ofLeft] })
    const energies = bodyEnergiesOf([left, right].map((place) => bodyAt(views, place)))
    const shares = views.map((_, l) => movingOf(energies[l]![1]!) / movingOf(energies[l]![0]!))
    expect(median(shares)).toBeLessThan(0.15)
  })

  it("solve the powers along overlapping directions, as far as they are positive", () => {
    const direction = (random: ReturnType<typeof createRandom>): Float64Array => {
      const vector = Float64Array.from({ length: 16 }, () => random.normal())
      const norm = Math.hypot(...vector)
      return vector.map((value) => value / norm)
    }
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 2, maxLength: 3 }), (
        seed,
        truth,
      ) => {
        const random = createRandom(seed, "directions")
        const vectors = truth.map(() => direction(random))
        const bodies = vectors.map((vector, i): BodyView => ({
          vector,
          norm: 1,
          along: Float64Array.of(sum(truth.map((energy, j) => {
            const [re, im] = inner(vector, vectors[j]!)
            // The diagonal regularises directions that alignment removed.
            return energy * (re * re + im * im + (i === j ? 0.05 : 0))
          }))),
        }))
        const found = energiesOf(bodies)
        for (const [i, energy] of truth.entries()) expect(Math.abs(found[i]![0]! - energy)).toBeLessThan(0.4)
        for (const bands of found) expect(bands.every((energy) => energy >= 0)).toBe(true)
      }),
      { seed: 1 },
    )
    expect(energiesOf([])).toEqual([])
  })
})

describe("the weights of bands", () => {
  it("are 1 without others, and smaller the more others return; the static band has none", () => {
    const [view] = viewsOf({ points: [ofLeft], noiseRms: 0.05 })
    const bands = view!.state.plan.bands
    const alone = weightsBeside(view!, [])
    expect(alone[0]).toBe(0)
    expect([...alone.subarray(1)]).toEqual(new Array(bands - 1).fill(1))
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5, noNaN: true }), fc.double({ min: 1.1, max: 50, noNaN: true }), (
        energy,
        times_,
      ) => {
        const less = weightsBeside(view!, [new Float64Array(bands).fill(energy)])
        const two = weightsBeside(view!, [
          new Float64Array(bands).fill(energy),
          new Float64Array(bands).fill(energy * times_),
        ])
        for (let band = 1; band < bands; band++) {
          expect(less[band]).toBeLessThanOrEqual(1)
          expect(two[band]).toBeLessThanOrEqual(less[band]!)
          expect(two[band]).toBeGreaterThan(0)
        }
      }),
      { seed: 2 },
    )
  })

  it("are one half in a band where the other returns as much as noise", () => {
    const [view] = viewsOf({ points: [], noiseRms: 0.05 })
    const { moments: { noise }, state: { plan } } = view!
    const as = noise.map((value, band) => band === 4 ? value : 0)
    const weights = weightsBeside(view!, [as])
    for (let band = 1; band < plan.bands; band++) expect(weights[band]).toBeCloseTo(band === 4 ? 0.5 : 1, 9)
  })

  it("keep a body's own bands", () => {
    const views = viewsOf({ points: [ofLeft, ofRight], noiseRms: 0.02 })
    const energies = bodyEnergiesOf([left, right].map((place) => bodyAt(views, place)))
    const shareOfRight = (weighted: boolean): number =>
      median(views.map((view, l) => {
        const weights = weightsBeside(view, weighted ? [energies[l]![0]!] : [])
        const [a, b] = [0, 1].map((k) => sum(energies[l]![k]!.map((energy, band) => weights[band]! * energy)))
        return b! / (a! + b!)
      }))
    expect(shareOfRight(true)).toBeGreaterThan(2 * shareOfRight(false))
    expect(shareOfRight(true)).toBeGreaterThan(0.6)
  })
})

describe("the remainder of a link", () => {
  it("is the weighted sum of its bands, outside the aligned directions", () => {
    const [view] = viewsOf({ points: [ofLeft, breathing(right, 0.2)], noiseRms: 0.05 })
    const { moments, state } = view!
    const weights = moments.noise.map((_, band) => band / 10)
    const { covariance, dimensions, noise } = remainderOf(view!, weights)
    expect(dimensions).toBe(state.window.size - state.aligned.length)
    expect(noise).toBeCloseTo(sum(moments.noise.map((value, band) => (value * band) / 10)), 12)
    const { vector } = bodyAt([view!], left).views[0]!
    const powerOf = (matrix: Float64Array) => inner(vector, times(matrix, vector))[0]
    const expected = sum(
      moments.covariances.map((matrix, band) => weights[band]! * powerOf(unpack(matrix, state.window.size))),
    )
    expect(powerOf(covariance)).toBeCloseTo(expected, 9)
    for (const u of state.aligned) expect(Math.hypot(...times(covariance, u))).toBeLessThan(1e-9)
  })
})
