/**
 * A basis of smooth functions over the subcarriers.
 *
 * Echoes within a room are smooth over frequency, so a few polynomials represent all of them; the rest is noise. Owns
 * the basis and the steering in it. Boundary: `steering.ts` chooses the delays and angles.
 */
import { speedOfLightMps } from "../math/speed-of-light.ts"

export interface ToneBasis {
  readonly tones: number
  readonly size: number
  /** Frequency of each tone, scaled to -1..1. */
  readonly frequencies: Float64Array
  /** Orthonormal polynomials, [degree][tone]. */
  readonly values: Float64Array
}

/**
 * Number of polynomials for a phase ramp of `reachM` metres over a band: half the ramp's phase, beyond which Bessel
 * functions fall off. The farthest corner of a room loses up to 5 % of its energy, a body in its middle less than 1 %.
 * More functions did not locate simulated walkers better, and the cost grows with the square of their number. At least
 * three tones stay free to measure noise.
 */
const basisSize = (tonesHz: Float32Array, reachM: number): number => {
  const bandHz = tonesHz[tonesHz.length - 1]! - tonesHz[0]!
  const wanted = Math.ceil((Math.PI * bandHz * reachM) / speedOfLightMps)
  return Math.max(1, Math.min(Math.max(3, wanted), tonesHz.length - 3))
}

/** Orthonormal polynomials over `tonesHz`, enough for path lengths that differ by up to `reachM`. */
export const createToneBasis = (tonesHz: Float32Array, reachM: number): ToneBasis => {
  const tones = tonesHz.length
  const size = basisSize(tonesHz, reachM)
  const middle = (tonesHz[0]! + tonesHz[tones - 1]!) / 2
  const half = Math.max((tonesHz[tones - 1]! - tonesHz[0]!) / 2, 1)
  const frequencies = Float64Array.from(tonesHz, (tone) => (tone - middle) / half)
  const values = new Float64Array(size * tones)
  for (let q = 0; q < size; q++) {
    const row = values.subarray(q * tones, (q + 1) * tones)
    for (let k = 0; k < tones; k++) {
      row[k] = q === 0 ? 1 : values[(q - 1) * tones + k]! * frequencies[k]!
    }
    // Gram-Schmidt, twice for accuracy.
    for (let pass = 0; pass < 2; pass++) {
      for (let other = 0; other < q; other++) {
        let dot = 0
        for (let k = 0; k < tones; k++) dot += row[k]! * values[other * tones + k]!
        for (let k = 0; k < tones; k++) row[k] = row[k]! - dot * values[other * tones + k]!
      }
    }
    const norm = Math.hypot(...row)
    for (let k = 0; k < tones; k++) row[k] = row[k]! / norm
  }
  return { tones, size, frequencies, values }
}

/** Coefficients of a ramp e^{-j 2 pi f length / c} in the basis, interleaved (re, im), scaled to norm 1. */
export const steerTones = (basis: ToneBasis, tonesHz: Float32Array, lengthM: number): Float64Array => {
  const out = new Float64Array(2 * basis.size)
  for (let k = 0; k < basis.tones; k++) {
    const phase = (-2 * Math.PI * tonesHz[k]! * lengthM) / speedOfLightMps
    const re = Math.cos(phase)
    const im = Math.sin(phase)
    for (let q = 0; q < basis.size; q++) {
      const value = basis.values[q * basis.tones + k]!
      out[2 * q] = out[2 * q]! + value * re
      out[2 * q + 1] = out[2 * q + 1]! + value * im
    }
  }
  const norm = Math.hypot(...out)
  for (let i = 0; i < out.length; i++) out[i] = out[i]! / norm
  return out
}

/**
 * Coefficients of one packet's values, [antenna][tone] interleaved from value `from`, in the basis:
 * [antenna][function], written from value `to`.
 */
export const projectTones = (
  { size, tones, values: functions }: ToneBasis,
  antennas: number,
  values: Float64Array | Float32Array,
  from: number,
  into: Float64Array | Float32Array,
  to: number,
): void => {
  for (let a = 0; a < antennas; a++) {
    for (let q = 0; q < size; q++) {
      let re = 0
      let im = 0
      for (let k = 0; k < tones; k++) {
        const weight = functions[q * tones + k]!
        re += weight * values[from + 2 * (a * tones + k)]!
        im += weight * values[from + 2 * (a * tones + k) + 1]!
      }
      into[to + 2 * (a * size + q)] = re
      into[to + 2 * (a * size + q) + 1] = im
    }
  }
}
