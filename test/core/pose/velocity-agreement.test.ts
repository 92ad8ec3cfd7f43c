/** The velocities that a person's links agree on, from tokens with one line each. */
import { describe, expect, it } from "vitest"
import { spectra } from "../../../core/pose/link-spectrum.ts"
import { tokenShorteningAt, tokenSize } from "../../../core/pose/link-token.ts"
import { agreementSize, velocityAgreement } from "../../../core/pose/velocity-agreement.ts"

const [{ reach, stepMps }] = spectra
/** The evaluated velocities: 5 forward, 13 to the left. */
const departures = Array.from({ length: agreementSize }, (_, i): readonly [number, number] => [
  0.25 * (Math.floor(i / 13) - 2),
  0.12 * (i % 13 - 6),
])

/** A token whose spectrum has one line: of an echo that moves at (vx, vy), on a link in the direction `bearingRad`. */
const tokenOf = (vx: number, vy: number, bearingRad: number): Float32Array => {
  const token = new Float32Array(tokenSize)
  const [gx, gy] = [1.8 * Math.cos(bearingRad), 1.8 * Math.sin(bearingRad)]
  const line = (gx * vx + gy * vy) / stepMps + reach
  for (let bin = 0; bin <= 2 * reach; bin++) {
    token[bin] = Math.log(1e-6 + Math.exp(-((bin - line) ** 2))) / 4 + 1
  }
  token[tokenShorteningAt] = gx
  token[tokenShorteningAt + 1] = gy
  return token
}

const tokensOf = (tokens: ReadonlyArray<Float32Array>): Float32Array =>
  Float32Array.from(tokens.flatMap((token) => [...token]))

const inputs = (tokens: ReadonlyArray<Float32Array>, track: readonly [number, number], mask = tokens.map(() => 1)) => ({
  persons: 1,
  tokensEach: tokens.length,
  tokens: tokensOf(tokens),
  mask: Float32Array.from(mask),
  tracks: Float32Array.from([...track, 0, 0]),
})

const around = (vx: number, vy: number): ReadonlyArray<Float32Array> =>
  [0.1, 0.9, 1.7, 2.5, 3.6, 4.4, 5.3].map((bearing) => tokenOf(vx, vy, bearing))

const agreed = (values: Float32Array): readonly [number, number] => departures[values.indexOf(Math.max(...values))]!

describe("the velocity that links agree on", () => {
  it("is the body's, as an offset from the tracked one", () => {
    const [forward, left] = agreed(velocityAgreement(inputs(around(1.25, -0.24), [1, 0])))
    expect(forward).toBeCloseTo(0.25, 6)
    expect(left).toBeCloseTo(-0.24, 6)
  })

  it("changes sides with the sway, which the spectra of the legs do not show", () => {
    const left = velocityAgreement(inputs(around(1, 0.12), [1, 0]))
    const right = velocityAgreement(inputs(around(1, -0.12), [1, 0]))
    expect(agreed(left)[1]).toBeCloseTo(0.12, 6)
    expect(agreed(right)[1]).toBeCloseTo(-0.12, 6)
  })

  it("depends on the links that are present, in any order", () => {
    const links = around(0.5, 0.36)
    const agreement = velocityAgreement(inputs(links, [0.5, 0]))
    const strangers = [tokenOf(-1, 0, 0.3), tokenOf(-1, 0, 2)]
    const among = velocityAgreement(
      inputs([strangers[0]!, ...links.toReversed(), strangers[1]!], [0.5, 0], [0, ...links.map(() => 1), 0]),
    )
    among.forEach((value, i) => expect(value).toBeCloseTo(agreement[i]!, 5))
    const disturbed = velocityAgreement(inputs([...strangers, ...links], [0.5, 0]))
    expect(disturbed).not.toEqual(agreement)
    expect(agreed(disturbed)).toEqual(agreed(agreement))
  })

  it("is zero without a link, and separate for each person", () => {
    const withoutLinks = velocityAgreement(inputs(around(1, 0), [1, 0], around(1, 0).map(() => 0)))
    expect(new Set(withoutLinks).size).toBe(1)
    const both = velocityAgreement({
      persons: 2,
      tokensEach: 7,
      tokens: tokensOf([...around(1, 0.24), ...around(0, 0)]),
      mask: new Float32Array(14).fill(1),
      tracks: Float32Array.from([1, 0, 0, 0]),
    })
    expect(agreed(both.subarray(0, agreementSize))[1]).toBeCloseTo(0.24, 6)
    const [forward, left] = agreed(both.subarray(agreementSize))
    expect(Math.hypot(forward, left)).toBeCloseTo(0, 6)
  })
})
