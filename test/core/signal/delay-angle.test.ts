import { describe, expect, it } from "vitest"
import type { RadioLayout } from "../../../core/formats/csi-batch.ts"
import { type DelayAngle, matchedDelayAngle, type Path, strongestPath } from "../../../core/signal/delay-angle.ts"
import { eigenOf } from "../../../core/signal/hermitian-eigen.ts"
import { musicDelayAngle } from "../../../core/signal/music.ts"
import { layoutOf, normal, uniform, withNoise } from "./channel.ts"

/** The response of paths, by the convention of imaging: e^{-j 2 pi f tau} e^{+j pi a sin(theta)}. */
const responseOf = (
  { receiveAntennas, subcarrierIndices, subcarrierSpacingHz }: RadioLayout,
  paths: ReadonlyArray<Path & { readonly amplitude: number }>,
): Float32Array => {
  const tones = subcarrierIndices.length
  const out = new Float32Array(2 * receiveAntennas * tones)
  for (const { amplitude, angleRad, delayS } of paths) {
    for (let a = 0; a < receiveAntennas; a++) {
      subcarrierIndices.forEach((k, i) => {
        const phase = -2 * Math.PI * k * subcarrierSpacingHz * delayS + Math.PI * a * Math.sin(angleRad)
        out[2 * (a * tones + i)]! += amplitude * Math.cos(phase)
        out[2 * (a * tones + i) + 1]! += amplitude * Math.sin(phase)
      })
    }
  }
  return out
}

const degrees = (value: number): number => value * Math.PI / 180
const layouts: ReadonlyArray<readonly [string, RadioLayout]> = [
  ["56 tones", layoutOf()],
  [
    "30 tones of 40 MHz",
    layoutOf({ subcarrierIndices: Int16Array.from({ length: 30 }, (_, i) => -58 + 4 * i), bandwidthHz: 40e6 }),
  ],
]

const stepOf = (axis: Float64Array): number => axis[1]! - axis[0]!

/** A path must lie within half a step of the grid, and the noise's share of one. */
const expectAt = (picture: DelayAngle, path: Path): void => {
  const found = strongestPath(picture)
  expect(Math.abs(found.delayS - path.delayS)).toBeLessThanOrEqual(0.75 * stepOf(picture.delaysS))
  expect(Math.abs(found.angleRad - path.angleRad)).toBeLessThanOrEqual(0.75 * stepOf(picture.anglesRad))
}

/** Local maxima, the highest first. */
const peaksOf = ({ anglesRad, delaysS, power }: DelayAngle): ReadonlyArray<Path & { readonly power: number }> => {
  const width = anglesRad.length
  const found: Array<Path & { readonly power: number }> = []
  for (let d = 1; d + 1 < delaysS.length; d++) {
    for (let n = 1; n + 1 < width; n++) {
      const here = power[d * width + n]!
      const around = [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => power[(d + i) * width + n + j]!))
      if (here === Math.max(...around)) found.push({ delayS: delaysS[d]!, angleRad: anglesRad[n]!, power: here })
    }
  }
  return found.sort((a, b) => b.power - a.power)
}

describe.each(layouts)("delay and angle over %s", (_, layout) => {
  it.each([[0, 0], [40e-9, 25], [80e-9, -40], [-20e-9, 50]])(
    "finds one path at %f s and %f degrees",
    (delayS, angle) => {
      const path = { delayS, angleRad: degrees(angle), amplitude: 1 }
      const response = withNoise(responseOf(layout, [path]), uniform(1), 0.02)
      expectAt(matchedDelayAngle(layout, response), path)
      expectAt(musicDelayAngle(layout, response)!, path)
    },
  )

  it("mirrors the path in delay and angle for the conjugate response", () => {
    const path = { delayS: 60e-9, angleRad: degrees(30), amplitude: 1 }
    const mirrored = responseOf(layout, [path]).map((value, v) => v % 2 === 0 ? value : -value)
    for (const picture of [matchedDelayAngle(layout, mirrored), musicDelayAngle(layout, mirrored)!]) {
      const found = strongestPath(picture)
      expect(found.angleRad).toBeCloseTo(degrees(-30), 1)
      expect(found.delayS).toBeLessThan(0)
    }
  })

  it("is 1 where one path explains the whole response, and less elsewhere", () => {
    const { power } = matchedDelayAngle(layout, responseOf(layout, [{ delayS: 0, angleRad: 0, amplitude: 3 }]))
    expect(Math.max(...power)).toBeCloseTo(1, 5)
    expect(power.filter((value) => value > 0.99).length).toBeLessThan(20)
  })
})

describe("MUSIC", () => {
  it("resolves two paths that are one peak of the matched field", () => {
    const layout = layoutOf({ subcarrierIndices: Int16Array.from({ length: 30 }, (_, i) => -58 + 4 * i) })
    // 17 ns apart, at one angle; 1/bandwidth is 27 ns.
    const angleRad = degrees(10)
    const paths = [{ delayS: 1e-9, angleRad, amplitude: 1 }, { delayS: 18e-9, angleRad, amplitude: 0.8 }]
    const response = withNoise(responseOf(layout, paths), uniform(2), 0.005)
    const music = peaksOf(musicDelayAngle(layout, response)!)
    expect(music.length).toBeGreaterThanOrEqual(2)
    for (const { delayS } of paths) {
      expect(music.slice(0, 2).some((found) => Math.abs(found.delayS - delayS) < 4e-9)).toBe(true)
    }
    for (const found of music.slice(0, 2)) expect(Math.abs(found.angleRad - angleRad)).toBeLessThan(degrees(6))
    const matched = peaksOf(matchedDelayAngle(layout, response))
    expect(matched[0]!.power).toBeGreaterThan(3 * (matched[1]?.power ?? 0))
  })

  it("is null without power, and has no angle with one antenna", () => {
    const layout = layoutOf({ receiveAntennas: 1 })
    expect(musicDelayAngle(layout, new Float32Array(112))).toBeNull()
    expect(matchedDelayAngle(layout, new Float32Array(112)).power.every((value) => value === 0)).toBe(true)
    const response = responseOf(layout, [{ delayS: 30e-9, angleRad: 0, amplitude: 1 }])
    const picture = musicDelayAngle(layout, response)!
    expect(picture.anglesRad).toEqual(Float64Array.of(0))
    expect(Math.abs(strongestPath(picture).delayS - 30e-9)).toBeLessThan(5e-9)
  })
})

describe("eigenvectors", () => {
  it.each([1, 2, 7, 30])("reconstruct a Hermitian matrix of %i rows", (size) => {
    const random = uniform(size)
    const matrix = new Float64Array(2 * size * size)
    for (let r = 0; r < size; r++) {
      for (let c = 0; c <= r; c++) {
        const re = normal(random)
        const im = r === c ? 0 : normal(random)
        matrix[2 * (r * size + c)] = matrix[2 * (c * size + r)] = re
        matrix[2 * (r * size + c) + 1] = im
        matrix[2 * (c * size + r) + 1] = -im
      }
    }
    const { values, vectors } = eigenOf(matrix, size)
    for (let i = 1; i < size; i++) expect(values[i]!).toBeLessThanOrEqual(values[i - 1]!)
    for (let r = 0; r < size; r++) {
      for (let c = 0; c < size; c++) {
        let re = 0
        let im = 0
        vectors.forEach((v, i) => {
          re += values[i]! * (v[2 * r]! * v[2 * c]! + v[2 * r + 1]! * v[2 * c + 1]!)
          im += values[i]! * (v[2 * r + 1]! * v[2 * c]! - v[2 * r]! * v[2 * c + 1]!)
        })
        expect(re).toBeCloseTo(matrix[2 * (r * size + c)]!, 9)
        expect(im).toBeCloseTo(matrix[2 * (r * size + c) + 1]!, 9)
      }
    }
  })
})
