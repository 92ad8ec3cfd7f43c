/** The token of moving and static points, against geometry. */
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { addEchoes, createEchoSeries } from "../../../core/pose/echo-series.ts"
import { spectra, spectraOf, spectrumSize } from "../../../core/pose/link-spectrum.ts"
import { tokenDirectionsAt, tokenSize, writeToken } from "../../../core/pose/link-token.ts"
import { steerTo } from "../../../core/pose/steered-link.ts"
import { compute } from "../../harness/compute.ts"
import { gliding, standing } from "../../harness/echoes.ts"
import { geometry, observationOf, seriesOf } from "./echoes.ts"

type Series = ReturnType<typeof seriesOf>

const [limbs, rest] = spectra
const crossOf = 4
const place: Vector3 = [2.5, 3.6, 1]

const write = (series: Series, endS: number, token: Float32Array, at = place, headingRad = 0): boolean => {
  const link = steerTo(series, at)
  return writeToken(link, compute(spectraOf([link], endS)), 0, headingRad, token, 0)
}

const tokenOf = (series: Series, endS: number, at = place, headingRad = 0): Float32Array => {
  const token = new Float32Array(tokenSize)
  write(series, endS, token, at, headingRad)
  return token
}

const strongestBin = (token: Float32Array, from: number, bins: number): number =>
  token.subarray(from, from + bins).indexOf(Math.max(...token.subarray(from, from + bins)))

/** A point that is at `place` at the end of the last of ten hops. */
const arriving = (velocity: Vector3) => gliding(place, velocity, 0.3, 1)

describe("the token of a link", () => {
  it("has its Doppler peak at the rate of the path's length", () => {
    // Directly away from the line between the nodes the path grows by v (sin + sin) of the angles to it.
    const grows = 2 * (1.6 / Math.hypot(2.5, 1.6))
    for (const speedMps of [-1.2, -0.6, 0.6, 1.2]) {
      const token = tokenOf(seriesOf([arriving([0, speedMps, 0])], 10), 1)
      const peak = (strongestBin(token, 0, 23) - limbs.reach) * limbs.stepMps
      expect(Math.abs(peak - -speedMps * grows)).toBeLessThan(limbs.stepMps)
    }
  })

  it("has a static point in the middle of both spectra, with the power of its cross section", () => {
    const token = tokenOf(seriesOf([arriving([0, 0, 0])], 14), 1.4)
    expect(strongestBin(token, 0, 23)).toBe(limbs.reach)
    expect(strongestBin(token, spectrumSize(limbs), 2 * rest.reach + 1)).toBe(rest.reach)
    expect(token[limbs.reach]).toBeCloseTo(Math.log(0.3 / (4 * Math.PI)) / 4 + 1, 1)
  })

  it("has a gradient over the array towards the side of an echo", () => {
    const leanOf = (y: number): number => {
      const series = seriesOf([standing([2.5, y, 1], 0.3)], 10)
      const token = tokenOf(series, 1)
      // The imaginary part of the first cross term of the middle bin.
      const middle = 23 + 2 * crossOf * (limbs.crossReach / limbs.crossStep)
      return token[middle + 1]!
    }
    expect(Math.abs(leanOf(3.6))).toBeLessThan(0.12)
    expect(Math.sign(leanOf(4.4))).toBe(-Math.sign(leanOf(2.8)))
    expect(Math.abs(leanOf(4.4))).toBeGreaterThan(0.3)
  })

  it("rotates its directions with the person's heading, and nothing else", () => {
    const series = seriesOf([arriving([0, 0.8, 0])], 10)
    const ahead = tokenOf(series, 1)
    const turned = tokenOf(series, 1, place, Math.PI / 2)
    expect(turned.subarray(0, tokenDirectionsAt)).toEqual(ahead.subarray(0, tokenDirectionsAt))
    // The x direction is to the right of a person who faces y.
    expect(turned[tokenDirectionsAt + 1]).toBeCloseTo(-ahead[tokenDirectionsAt]!, 6)
    expect(turned[tokenDirectionsAt]).toBeCloseTo(ahead[tokenDirectionsAt + 1]!, 6)
    expect(turned.subarray(tokenDirectionsAt + 12)).toEqual(ahead.subarray(tokenDirectionsAt + 12))
  })

  it("is empty when the link has too few packets, or they are too old", () => {
    const series = seriesOf([arriving([0, 0.8, 0])], 10, 1)
    const token = new Float32Array(tokenSize).fill(1)
    expect(write(series, 1, token)).toBe(false)
    expect(token.every((value) => value === 0)).toBe(true)
    expect(write(seriesOf([arriving([0, 0.8, 0])], 10), 5, token)).toBe(false)
  })

  it("does not depend on the spacing of the packets", () => {
    const points = [arriving([0, 0.9, 0])]
    const even = tokenOf(seriesOf(points, 10, 12), 1)
    const series = createEchoSeries(geometry, observationOf(points, 0), "tx")!
    for (let hop = 0; hop < 10; hop++) {
      addEchoes(series, hop, observationOf(points, hop, hop % 2 === 0 ? 9 : 15).links[0]!)
    }
    const uneven = tokenOf(series, 1)
    // Receivers' noise is about here; the leakage of uneven spacing is below it.
    const noise = -1.5
    for (let bin = 0; bin < 23; bin++) {
      expect(Math.max(noise, uneven[bin]!), String(bin)).toBeCloseTo(Math.max(noise, even[bin]!), 1)
    }
  })
})

describe("a series", () => {
  it("is not created for nodes outside the geometry, nor for too few tones, no band or an unknown frequency", () => {
    const observation = observationOf([], 0)
    expect(createEchoSeries(geometry, observation, "stranger")).toBeNull()
    expect(createEchoSeries(geometry, { ...observation, tonesHz: observation.tonesHz.slice(0, 3) }, "tx")).toBeNull()
    expect(createEchoSeries(geometry, { ...observation, tonesHz: new Float32Array(14) }, "tx")).toBeNull()
    expect(createEchoSeries(geometry, { ...observation, centerFrequencyHz: 0 }, "tx")).toBeNull()
  })

  it("restarts when time is set back, and is bounded by its ring", () => {
    const series = seriesOf([arriving([0, 0.8, 0])], 10)
    addEchoes(series, 3, observationOf([arriving([0, 0.8, 0])], 3).links[0]!)
    expect(series.next - series.first).toBe(10)
    for (let hop = 4; hop < 100; hop++) addEchoes(series, hop, observationOf([], hop).links[0]!)
    expect(series.next - series.first).toBe(512)
  })
})
