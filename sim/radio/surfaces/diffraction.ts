/**
 * Diffraction around an opaque rectangle, as a complex factor on the field of a path.
 *
 * By Babinet's principle a rectangle across a path leaves E / E0 = 1 - F(u1, u2) F(v1, v2) with the Fresnel integral
 * F(a, b) = (1 + j) / 2 times the integral of e^{-j pi t^2 / 2} from a to b, and v = h sqrt(2 (d1 + d2) / (lambda d1 d2)) for an edge at
 * the distance h from the path. Behind the middle of a narrow screen the waves around its edges add up, and beside it the level
 * ripples, which a single knife edge does not show. Boundary: what is a screen is decided in `screens.ts`.
 */

/**
 * Fresnel integrals C(x) and S(x) to `out`, by the rational approximation of their auxiliary functions (Abramowitz and Stegun,
 * 7.3.32 and 7.3.33), with an error below 0.002.
 */
const fresnelIntegrals = (x: number, out: Float64Array): void => {
  const t = Math.abs(x)
  const f = (1 + 0.926 * t) / (2 + 1.792 * t + 3.104 * t * t)
  const g = 1 / (2 + 4.142 * t + 3.492 * t * t + 6.67 * t * t * t)
  const rad = (Math.PI / 2) * t * t
  const sin = Math.sin(rad)
  const cos = Math.cos(rad)
  const sign = x < 0 ? -1 : 1
  out[0] = sign * (0.5 + f * sin - g * cos)
  out[1] = sign * (0.5 - f * cos - g * sin)
}

const scratch = new Float64Array(4)
const low = scratch.subarray(0, 2)
const high = scratch.subarray(2, 4)

/** Writes F(a, b) to `out`. */
const writeSlit = (a: number, b: number, out: Float64Array): void => {
  fresnelIntegrals(a, low)
  fresnelIntegrals(b, high)
  const c = high[0]! - low[0]!
  const s = high[1]! - low[1]!
  out[0] = (c + s) / 2
  out[1] = (c - s) / 2
}

/** Beyond these distances of the nearest edge, in units of v, the ripple fades and ends: a body's edges are round and rough. */
const ripple = { from: 2.5, to: 5 } as const

const slits = new Float64Array(4)
const across = slits.subarray(0, 2)
const along = slits.subarray(2, 4)

/** Distance of the range [a, b] from 0; 0 if it contains 0. */
const gapOf = (a: number, b: number): number => (a > 0 ? a : b < 0 ? -b : 0)

/**
 * Writes E / E0 behind a rectangle from `acrossLow` to `acrossHigh` and from `alongLow` to `alongHigh`, metres from the path in two
 * directions at right angles to it, at distances `d1M` and `d2M` from the ends.
 */
export const writeScreened = (
  acrossLow: number,
  acrossHigh: number,
  alongLow: number,
  alongHigh: number,
  d1M: number,
  d2M: number,
  wavelengthM: number,
  out: Float64Array,
): void => {
  const scale = Math.sqrt((2 * (d1M + d2M)) / (wavelengthM * d1M * d2M))
  const gap = scale * Math.hypot(gapOf(acrossLow, acrossHigh), gapOf(alongLow, alongHigh))
  out[0] = 1
  out[1] = 0
  if (gap >= ripple.to) return
  writeSlit(scale * acrossLow, scale * acrossHigh, across)
  writeSlit(scale * alongLow, scale * alongHigh, along)
  const weight = Math.min(1, (ripple.to - gap) / (ripple.to - ripple.from))
  out[0] = 1 - weight * (across[0]! * along[0]! - across[1]! * along[1]!)
  out[1] = -weight * (across[0]! * along[1]! + across[1]! * along[0]!)
}
