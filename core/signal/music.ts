/**
 * MUSIC over delay and angle with SpotFi's smoothing, as a diagnostic.
 *
 * Paths of one packet are coherent, so its covariance has rank one. SpotFi cuts the antennas x tones of the response
 * into overlapping sub-arrays (2 antennas x 15 of 30 tones), whose covariance has one dimension per path. The steering
 * vectors of the paths are orthogonal to the remaining dimensions, the noise subspace E, and P = |s|^2 / |E^H s|^2
 * peaks there. Signs are those of `delay-angle.ts`.
 *
 * Compared with the matched field, it resolves paths closer than 1/bandwidth. It needs the number of paths (here: the
 * eigenvalues well above the median), works less well with one antenna, and degrades less gracefully.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"
import { type DelayAngle, delayAngleGrid } from "./delay-angle.ts"
import { type Eigen, eigenOf } from "./hermitian-eigen.ts"

/** Number of evenly spaced tones that the response is resampled to; a sub-array has half of them. */
const tonesWanted = 30
/** An eigenvalue this many times the median counts as a path. */
const pathOverNoise = 20

/** The response of the first transmit stream at evenly spaced offsets, interleaved [antenna][tone]. */
interface EvenResponse {
  readonly antennas: number
  readonly tones: number
  readonly spacingHz: number
  readonly values: Float64Array
}

/**
 * Resamples a response to evenly spaced tones by linear interpolation, also across tones that the layout omits (centre,
 * pilots).
 */
const evenly = (layout: RadioLayout, response: Float32Array): EvenResponse => {
  const { receiveAntennas: antennas, subcarrierIndices: indices, transmitAntennas } = layout
  const last = indices.length - 1
  const tones = Math.min(tonesWanted, indices.length)
  const step = (indices[last]! - indices[0]!) / (tones - 1)
  const values = new Float64Array(2 * antennas * tones)
  for (let rx = 0; rx < antennas; rx++) {
    const row = 2 * rx * transmitAntennas * indices.length
    let at = 0
    for (let i = 0; i < tones; i++) {
      const index = indices[0]! + i * step
      while (at < last - 1 && indices[at + 1]! <= index) at++
      const part = (index - indices[at]!) / (indices[at + 1]! - indices[at]!)
      for (let c = 0; c < 2; c++) {
        const low = response[row + 2 * at + c]!
        values[2 * (rx * tones + i) + c] = low + part * (response[row + 2 * at + 2 + c]! - low)
      }
    }
  }
  return { antennas, tones, spacingHz: step * layout.subcarrierSpacingHz, values }
}

interface SubArray {
  readonly antennas: number
  readonly tones: number
}

/** Covariance of all sub-arrays of a response. */
const smoothed = ({ antennas, tones, values }: EvenResponse, sub: SubArray): Float64Array => {
  const size = sub.antennas * sub.tones
  const covariance = new Float64Array(2 * size * size)
  const place = (i: number, a0: number, k0: number): number =>
    2 * ((a0 + Math.floor(i / sub.tones)) * tones + k0 + i % sub.tones)
  for (let a0 = 0; a0 + sub.antennas <= antennas; a0++) {
    for (let k0 = 0; k0 + sub.tones <= tones; k0++) {
      for (let r = 0; r < size; r++) {
        const x = place(r, a0, k0)
        for (let c = 0; c < size; c++) {
          const y = place(c, a0, k0)
          const i = 2 * (r * size + c)
          covariance[i]! += values[x]! * values[y]! + values[x + 1]! * values[y + 1]!
          covariance[i + 1]! += values[x + 1]! * values[y]! - values[x]! * values[y + 1]!
        }
      }
    }
  }
  return covariance
}

/** Number of paths above the noise: at least one, and at most half the dimensions. */
const pathsOf = ({ values }: Eigen): number => {
  const floor = Math.max(values[values.length >> 1]!, 1e-9 * values[0]!)
  const above = values.findIndex((value) => value < pathOverNoise * floor)
  return Math.max(1, Math.min(above < 0 ? values.length : above, values.length >> 1))
}

/**
 * The MUSIC pseudo-spectrum of a response: interleaved complex [rx][tx][tone] of `layout`, with its delay removed.
 * Peaks lie at the paths; their heights are not powers. Null for a response without power or with fewer than 4 tones.
 */
export const musicDelayAngle = (layout: RadioLayout, response: Float32Array): DelayAngle | null => {
  if (layout.subcarrierIndices.length < 4) return null
  const even = evenly(layout, response)
  const sub = { antennas: Math.min(2, even.antennas), tones: even.tones >> 1 }
  const size = sub.antennas * sub.tones
  const eigen = eigenOf(smoothed(even, sub), size)
  if (!(eigen.values[0]! > 0)) return null
  const signal = eigen.vectors.slice(0, pathsOf(eigen))
  const { anglesRad, delaysS } = delayAngleGrid(layout)
  const power = new Float64Array(delaysS.length * anglesRad.length)
  for (const [d, delayS] of delaysS.entries()) {
    for (const [n, angle] of anglesRad.entries()) {
      let within = 0
      for (const vector of signal) within += projection(vector, sub, -2 * Math.PI * even.spacingHz * delayS, angle)
      // Signal and noise subspace span the whole space: |E^H s|^2 = |s|^2 - |U^H s|^2.
      power[d * anglesRad.length + n] = size / Math.max(size - within, 1e-9 * size)
    }
  }
  return { delaysS, anglesRad, power }
}

/** |u^H s|^2 for the steering vector of a phase step between tones and an angle. */
const projection = (vector: Float64Array, sub: SubArray, toneStepRad: number, angleRad: number): number => {
  let re = 0
  let im = 0
  for (let i = 0; i < vector.length / 2; i++) {
    const phase = toneStepRad * (i % sub.tones) + Math.PI * Math.floor(i / sub.tones) * Math.sin(angleRad)
    const cos = Math.cos(phase)
    const sin = Math.sin(phase)
    re += vector[2 * i]! * cos + vector[2 * i + 1]! * sin
    im += vector[2 * i]! * sin - vector[2 * i + 1]! * cos
  }
  return re * re + im * im
}
