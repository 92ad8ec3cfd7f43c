/**
 * The sliding window of one link: second moments of its dynamic response over the last hops.
 *
 * Owns the covariance of the moving part (the response minus its mean over the window) in the tone basis, and the noise
 * beside it. Boundary: where the energy comes from is in `matched-field.ts`.
 *
 * Invariants: memory is bounded by the hops of the window; a hop is kept under its own number, so that late or missing
 * hops never shift the others.
 */
import type { HermitianMatrix } from "./hermitian.ts"
import { projectTones, type ToneBasis } from "./tone-basis.ts"

interface Slot {
  hop: number
  packets: number
  /** Sum of the outer products of the packets' coefficients, and the sums of coefficients and of raw values. */
  readonly outer: HermitianMatrix
  readonly coefficients: Float64Array
  readonly values: Float64Array
  energy: number
}

export interface LinkWindow {
  readonly basis: ToneBasis
  readonly antennas: number
  readonly slots: ReadonlyArray<Slot>
}

/** What the window says at one hop. */
export interface LinkMoments {
  readonly packets: number
  /** Covariance times packets, order antenna x basis function. */
  readonly covariance: HermitianMatrix
  /** Energy of the moving part within the basis, over all packets. */
  readonly energy: number
  /** Mean noise energy of one coefficient of one packet, from the part of the response outside the basis. */
  readonly noise: number
}

export const createLinkWindow = (basis: ToneBasis, antennas: number, hops: number): LinkWindow => {
  const size = antennas * basis.size
  return {
    basis,
    antennas,
    slots: Array.from({ length: hops }, () => ({
      hop: -1,
      packets: 0,
      outer: new Float64Array(2 * size * size),
      coefficients: new Float64Array(2 * size),
      values: new Float64Array(2 * antennas * basis.tones),
      energy: 0,
    })),
  }
}

const addOuter = (outer: HermitianMatrix, vector: Float64Array, scale: number): void => {
  const size = vector.length / 2
  for (let r = 0; r < size; r++) {
    const re = scale * vector[2 * r]!
    const im = scale * vector[2 * r + 1]!
    for (let c = 0; c < size; c++) {
      const i = 2 * (r * size + c)
      outer[i] = outer[i]! + re * vector[2 * c]! + im * vector[2 * c + 1]!
      outer[i + 1] = outer[i + 1]! + im * vector[2 * c]! - re * vector[2 * c + 1]!
    }
  }
}

/** Puts one hop's dynamic response ([packet][antenna][tone], interleaved) into the window. */
export const addHop = (window: LinkWindow, hop: number, dynamic: Float32Array): void => {
  const slot = window.slots[hop % window.slots.length]!
  slot.hop = hop
  slot.energy = 0
  slot.outer.fill(0)
  slot.coefficients.fill(0)
  slot.values.fill(0)
  const stride = slot.values.length
  slot.packets = Math.floor(dynamic.length / stride)
  const { antennas, basis } = window
  const coefficients = new Float64Array(slot.coefficients.length)
  for (let t = 0; t < slot.packets; t++) {
    for (let i = 0; i < stride; i++) {
      const value = dynamic[t * stride + i]!
      slot.values[i] = slot.values[i]! + value
      slot.energy += value * value
    }
    projectTones(basis, antennas, dynamic, t * stride, coefficients, 0)
    addOuter(slot.outer, coefficients, 1)
    for (let i = 0; i < coefficients.length; i++) slot.coefficients[i] = slot.coefficients[i]! + coefficients[i]!
  }
}

const trace = (matrix: HermitianMatrix, size: number): number => {
  let sum = 0
  for (let r = 0; r < size; r++) sum += matrix[2 * (r * size + r)]!
  return sum
}

/** Moments of the hops (hop - length, hop]; null with fewer than four packets. */
export const momentsAt = (window: LinkWindow, hop: number): LinkMoments | null => {
  const { basis, antennas, slots } = window
  const size = antennas * basis.size
  const covariance = new Float64Array(2 * size * size)
  const coefficients = new Float64Array(2 * size)
  const values = new Float64Array(2 * antennas * basis.tones)
  let packets = 0
  let energy = 0
  for (const slot of slots) {
    if (slot.hop < 0 || slot.hop > hop || slot.hop <= hop - slots.length) continue
    packets += slot.packets
    energy += slot.energy
    for (let i = 0; i < covariance.length; i++) covariance[i] = covariance[i]! + slot.outer[i]!
    for (let i = 0; i < coefficients.length; i++) coefficients[i] = coefficients[i]! + slot.coefficients[i]!
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + slot.values[i]!
  }
  if (packets < 4) return null
  addOuter(covariance, coefficients, -1 / packets)
  const whole = energy - values.reduce((sum, value) => sum + value * value, 0) / packets
  const inside = trace(covariance, size)
  const free = antennas * (basis.tones - basis.size) * (packets - 1)
  return { packets, covariance, energy: inside, noise: Math.max(0, whole - inside) / free }
}
