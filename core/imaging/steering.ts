/**
 * Steering of one link over the room: the path length and angle of each point.
 *
 * Owns the geometry of a link and the power of its covariance as a function of length and angle. For a uniform array
 * that power needs one complex number per path length and antenna lag. They are tabulated once per window, so a point
 * of the floor plan costs a table look-up and not a product of vectors. Boundary: `matched-field.ts` computes the score
 * over links.
 */
import type { LagTable } from "../kernels/explained-power.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "./geometry.ts"
import type { HermitianMatrix } from "./hermitian.ts"
import { steerTones, type ToneBasis } from "./tone-basis.ts"

/** Geometry of a link and the steering vectors over path length. */
export interface Steering {
  readonly transmitter: Vector3
  readonly receiver: Vector3
  readonly arrayAxis: Vector3
  /** Length of the line of sight. */
  readonly directM: number
  readonly antennas: number
  readonly basis: ToneBasis
  /** Unit steering vectors b over tones, one for each `tableStepM` of path beyond the line of sight. */
  readonly vectors: ReadonlyArray<Float64Array>
  /**
   * Two forms of each vector: the inner product of a matrix M with the first is the real part of b^H M b, with the
   * second the imaginary part.
   */
  readonly forms: Float64Array
}

/** Position of a point relative to a link. */
export interface Bearing {
  readonly d1M: number
  readonly d2M: number
  /** Path length by way of the point minus the line of sight. */
  readonly excessM: number
  /** Cosine between the array's axis and the direction to the point. */
  readonly cosArrival: number
}

const tableStepM = 0.25

/** By a square root: `Math.hypot` takes ten times as long, to guard against magnitudes that no room has. */
const distance = (a: Vector3, b: Vector3): number => {
  const x = a[0] - b[0]
  const y = a[1] - b[1]
  const z = a[2] - b[2]
  return Math.sqrt(x * x + y * y + z * z)
}

/** Longest detour of a link within a room: by way of the farthest corner. */
export const reachOf = (geometry: SiteGeometry, transmitter: Vector3, receiver: Vector3): number => {
  let reach = 0
  for (let corner = 0; corner < 8; corner++) {
    const point: Vector3 = [
      corner & 1 ? geometry.size[0] : 0,
      corner & 2 ? geometry.size[1] : 0,
      corner & 4 ? geometry.size[2] : 0,
    ]
    reach = Math.max(reach, distance(transmitter, point) + distance(point, receiver))
  }
  return reach - distance(transmitter, receiver)
}

/** The forms of vectors, [vector][real, imaginary][row][column][2]. */
const formsOf = (vectors: ReadonlyArray<Float64Array>, size: number): Float64Array => {
  const length = 2 * size * size
  const forms = new Float64Array(2 * length * vectors.length)
  for (const [entry, b] of vectors.entries()) {
    for (let q = 0; q < size; q++) {
      for (let c = 0; c < size; c++) {
        const re = b[2 * q]! * b[2 * c]! + b[2 * q + 1]! * b[2 * c + 1]!
        const im = b[2 * q]! * b[2 * c + 1]! - b[2 * q + 1]! * b[2 * c]!
        forms.set([re, -im], 2 * length * entry + 2 * (q * size + c))
        forms.set([im, re], 2 * length * entry + length + 2 * (q * size + c))
      }
    }
  }
  return forms
}

/**
 * Steering for a link. Delays count from the line of sight; the observation's delays count from the strongest path of
 * the static response, which within a room is the line of sight.
 */
export const createSteering = (
  ends: { readonly transmitter: RadioNode; readonly receiver: RadioNode },
  reachM: number,
  antennas: number,
  basis: ToneBasis,
  tonesHz: Float32Array,
): Steering => {
  const entries = Math.ceil(reachM / tableStepM) + 2
  const vectors = Array.from({ length: entries }, (_, i) => steerTones(basis, tonesHz, i * tableStepM))
  return {
    transmitter: ends.transmitter.position,
    receiver: ends.receiver.position,
    arrayAxis: ends.receiver.arrayAxis,
    directM: distance(ends.transmitter.position, ends.receiver.position),
    antennas,
    basis,
    vectors,
    forms: formsOf(vectors, basis.size),
  }
}

/** The bearing of `point` for a link. */
export const bearingOf = (steering: Steering, point: Vector3): Bearing => {
  const { arrayAxis, directM, receiver, transmitter } = steering
  const d1M = distance(transmitter, point)
  const d2M = distance(receiver, point)
  const along = arrayAxis[0] * (point[0] - receiver[0]) + arrayAxis[1] * (point[1] - receiver[1]) +
    arrayAxis[2] * (point[2] - receiver[2])
  return {
    d1M,
    d2M,
    excessM: d1M + d2M - directM,
    cosArrival: d2M > 0 ? along / d2M : 0,
  }
}

/** The steering vector of a bearing, [antenna][basis function], norm 1. */
export const steeringVector = (steering: Steering, bearing: Pick<Bearing, "excessM" | "cosArrival">): Float64Array => {
  const { antennas, basis, vectors } = steering
  const nearest = Math.max(0, Math.min(vectors.length - 1, Math.round(bearing.excessM / tableStepM)))
  const tones = vectors[nearest]!
  const out = new Float64Array(2 * antennas * basis.size)
  const scale = 1 / Math.sqrt(antennas)
  for (let a = 0; a < antennas; a++) {
    const re = scale * Math.cos(Math.PI * a * bearing.cosArrival)
    const im = scale * Math.sin(Math.PI * a * bearing.cosArrival)
    for (let q = 0; q < basis.size; q++) {
      const i = 2 * (a * basis.size + q)
      out[i] = re * tones[2 * q]! - im * tones[2 * q + 1]!
      out[i + 1] = re * tones[2 * q + 1]! + im * tones[2 * q]!
    }
  }
  return out
}

/** A vector times frequency, which is its derivative over delay up to a factor, scaled to norm 1. */
export const timesFrequency = ({ antennas, basis }: Steering, vector: Float64Array): Float64Array => {
  const out = new Float64Array(vector.length)
  for (let a = 0; a < antennas; a++) {
    for (let q = 0; q < basis.size; q++) {
      for (let c = 0; c < basis.size; c++) {
        let weight = 0
        for (let k = 0; k < basis.tones; k++) {
          weight += basis.values[q * basis.tones + k]! * basis.values[c * basis.tones + k]! * basis.frequencies[k]!
        }
        const to = 2 * (a * basis.size + q)
        const from = 2 * (a * basis.size + c)
        out[to] = out[to]! + weight * vector[from]!
        out[to + 1] = out[to + 1]! + weight * vector[from + 1]!
      }
    }
  }
  const norm = Math.hypot(...out)
  return out.map((value) => value / norm)
}

const lagWidth = (antennas: number): number => 2 * antennas - 1

/** Inner product of an even number of reals with those at `at` of `values`. */
const innerProduct = (a: Float64Array, values: Float64Array, at: number): number => {
  // Two independent sums, which the processor can overlap.
  let even = 0
  let odd = 0
  for (let i = 0; i < a.length; i += 2) {
    even += a[i]! * values[at + i]!
    odd += a[i + 1]! * values[at + i + 1]!
  }
  return even + odd
}

/** Tabulates b^H (sum of the covariance's antenna blocks at one lag) b over path lengths. */
export const tabulate = (steering: Steering, covariance: HermitianMatrix): LagTable => {
  const { antennas, basis: { size }, forms, vectors } = steering
  const width = antennas * size
  const length = 2 * size * size
  const stride = lagWidth(antennas)
  const table = new Float64Array(vectors.length * stride)
  const block = new Float64Array(length)
  for (let lag = 0; lag < antennas; lag++) {
    block.fill(0)
    for (let a = lag; a < antennas; a++) {
      for (let q = 0; q < size; q++) {
        const from = 2 * ((a * size + q) * width + (a - lag) * size)
        for (let i = 0; i < 2 * size; i++) block[2 * q * size + i]! += covariance[from + i]!
      }
    }
    // The blocks at lag 0 sum to a Hermitian matrix, whose power is real.
    for (let entry = 0, form = 0; entry < vectors.length; entry++, form += 2 * length) {
      if (lag === 0) table[entry * stride] = innerProduct(block, forms, form)
      else {
        table[entry * stride + 2 * lag - 1] = innerProduct(block, forms, form)
        table[entry * stride + 2 * lag] = innerProduct(block, forms, form + length)
      }
    }
  }
  return table
}

/** Position of a path length in a table, in entries; at least 0 and below the last one. */
export const placeOf = ({ vectors }: Steering, excessM: number): number =>
  Math.max(0, Math.min(excessM / tableStepM, vectors.length - 1.001))
