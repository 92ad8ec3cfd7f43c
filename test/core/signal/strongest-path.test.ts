import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { strongestSlope } from "../../../core/signal/strongest-path.ts"
import { normal, tones56, uniform } from "./channel.ts"

const spacingHz = 312_500

/** Rows of paths, each of which has a random phase per row. */
const responseOf = (
  tones: Int16Array,
  rows: number,
  paths: ReadonlyArray<{ readonly delaySeconds: number; readonly amplitude: number }>,
  seed: number,
): Float32Array => {
  const random = uniform(seed)
  const out = new Float32Array(2 * rows * tones.length)
  for (let row = 0; row < rows; row++) {
    for (const { amplitude, delaySeconds } of paths) {
      const phase = 2 * Math.PI * random()
      tones.forEach((k, i) => {
        const angle = phase - 2 * Math.PI * k * spacingHz * delaySeconds
        out[2 * (row * tones.length + i)]! += amplitude * Math.cos(angle)
        out[2 * (row * tones.length + i) + 1]! += amplitude * Math.sin(angle)
      })
    }
  }
  return out
}

const delayOf = (slope: number): number => -slope / (2 * Math.PI * spacingHz)

describe("strongest path", () => {
  it.each([
    ["56 tones with a gap", tones56],
    ["every fourth tone", Int16Array.from({ length: 30 }, (_, i) => 4 * i - 58)],
    ["2,000 tones", Int16Array.from({ length: 2000 }, (_, i) => i - 1000)],
    ["more tones than a transform has points", Int16Array.from({ length: 6000 }, (_, i) => i - 3000)],
  ])("is found alone at any delay: %s", (_, tones) => {
    const resolvedS = 1 / ((tones.at(-1)! - tones[0]!) * spacingHz)
    const openS = 1 / ((tones[1]! - tones[0]!) * spacingHz)
    fc.assert(
      fc.property(fc.double({ min: -3e-7, max: 3e-7, noNaN: true }), fc.integer(), (delaySeconds, seed) => {
        const response = responseOf(tones, 3, [{ delaySeconds, amplitude: 2 }], seed)
        const error = delayOf(strongestSlope(response, 3, tones)) - delaySeconds
        expect(Math.abs(error - openS * Math.round(error / openS))).toBeLessThan(resolvedS / 25)
      }),
      { seed: 5, numRuns: 20 },
    )
  })

  it("is not biased by a tail of late echoes, which shifts the mean delay by many metres", () => {
    const random = uniform(3)
    const tail = Array.from({ length: 40 }, (_, i) => ({
      delaySeconds: 2e-8 + i * 5e-9,
      amplitude: 0.25 * Math.exp(-i / 20) * Math.abs(normal(random)),
    }))
    const response = responseOf(tones56, 3, [
      { delaySeconds: 5e-8, amplitude: 1 },
      ...tail.map((path) => ({
        ...path,
        delaySeconds: path.delaySeconds + 5e-8,
      })),
    ], 4)
    let re = 0
    let im = 0
    for (let i = 0; i + 2 < response.length; i += 2) {
      if ((i / 2) % 56 === 27 || (i / 2) % 56 === 55) continue
      re += response[i + 2]! * response[i]! + response[i + 3]! * response[i + 1]!
      im += response[i + 3]! * response[i]! - response[i + 2]! * response[i + 1]!
    }
    const metres = (delaySeconds: number) => 299_792_458 * (delaySeconds - 5e-8)
    expect(metres(delayOf(Math.atan2(im, re)))).toBeGreaterThan(4)
    expect(Math.abs(metres(delayOf(strongestSlope(response, 3, tones56))))).toBeLessThan(1)
  })
})
