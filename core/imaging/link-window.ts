/**
 * The sliding window of one link: its dynamic response of the last hops in the tone basis, on a uniform time grid.
 *
 * Owns the slots of the hops and the noise outside the basis. Boundary: `doppler-bands.ts` analyses the motion in the
 * window.
 *
 * Invariants: memory is bounded by the hops of the window; a hop is stored under its own number, so that late or
 * missing hops never shift the others.
 */
import { hopUs, type LinkObservation } from "../observation/observation.ts"
import { projectTones, type ToneBasis } from "./tone-basis.ts"

const hopS = hopUs / 1e6

/** One hop. */
interface Slot {
  /** -1 while it is empty. */
  hop: number
  packets: number
  /**
   * Mean coefficients of the packets of each sample, [sample][antenna][basis function], and the number of packets of
   * each.
   */
  readonly samples: Float64Array
  readonly counts: Uint16Array
  /** Sums over the packets: raw values, coefficients, whole energy, and energy within the basis. */
  readonly values: Float64Array
  readonly coefficients: Float64Array
  energy: number
  inside: number
}

export interface LinkWindow {
  readonly basis: ToneBasis
  readonly antennas: number
  /** Coefficients of a packet: antennas times basis functions. */
  readonly size: number
  /** Samples of slow time in a hop. */
  readonly samplesPerHop: number
  readonly slots: ReadonlyArray<Slot>
}

/** An empty window of `hops` hops. */
export const createLinkWindow = (
  basis: ToneBasis,
  antennas: number,
  hops: number,
  samplesPerHop: number,
): LinkWindow => {
  const size = antennas * basis.size
  return {
    basis,
    antennas,
    size,
    samplesPerHop,
    slots: Array.from({ length: hops }, () => ({
      hop: -1,
      packets: 0,
      samples: new Float64Array(2 * size * samplesPerHop),
      counts: new Uint16Array(samplesPerHop),
      values: new Float64Array(2 * antennas * basis.tones),
      coefficients: new Float64Array(2 * size),
      energy: 0,
      inside: 0,
    })),
  }
}

const powerOf = (vector: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!
  return sum
}

/**
 * Adds one hop's dynamic response to the window, replacing the hop that is a window's length older; each packet at its
 * own time.
 */
export const addHop = (window: LinkWindow, hop: number, { dynamic, dynamicTimesS }: LinkObservation): void => {
  const { antennas, basis, samplesPerHop, size, slots } = window
  const slot = slots[hop % slots.length]!
  // A hop whose slot holds a newer hop is too late for any window.
  if (slot.hop > hop) return
  slot.hop = hop
  slot.energy = 0
  slot.inside = 0
  slot.samples.fill(0)
  slot.counts.fill(0)
  slot.values.fill(0)
  slot.coefficients.fill(0)
  const stride = slot.values.length
  slot.packets = Math.floor(dynamic.length / stride)
  const packet = new Float64Array(2 * size)
  for (let t = 0; t < slot.packets; t++) {
    for (let i = 0; i < stride; i++) {
      const value = dynamic[t * stride + i]!
      slot.values[i]! += value
      slot.energy += value * value
    }
    projectTones(basis, antennas, dynamic, t * stride, packet, 0)
    slot.inside += powerOf(packet)
    const sample = Math.max(0, Math.min(samplesPerHop - 1, Math.floor((dynamicTimesS[t]! / hopS) * samplesPerHop)))
    slot.counts[sample]!++
    for (let i = 0; i < packet.length; i++) {
      slot.coefficients[i]! += packet[i]!
      slot.samples[sample * packet.length + i]! += packet[i]!
    }
  }
  for (let sample = 0; sample < samplesPerHop; sample++) {
    const count = Math.max(1, slot.counts[sample]!)
    for (let i = 0; i < packet.length; i++) slot.samples[sample * packet.length + i]! /= count
  }
}

/** Whether a slot's hop is one of the window that ends with `hop`. */
export const isWithin = (window: LinkWindow, slot: Slot, hop: number): boolean =>
  slot.hop >= 0 && slot.hop <= hop && slot.hop > hop - window.slots.length

/** Number of packets of the window that ends with `hop`. */
export const packetsAt = (window: LinkWindow, hop: number): number =>
  window.slots.reduce((sum, slot) => sum + (isWithin(window, slot, hop) ? slot.packets : 0), 0)

/** Mean noise energy of one coefficient of one packet in that window, from the variation outside the basis. */
export const noiseAt = (window: LinkWindow, hop: number): number => {
  const { antennas, basis, slots } = window
  const values = new Float64Array(2 * antennas * basis.tones)
  const coefficients = new Float64Array(2 * window.size)
  let packets = 0
  let outside = 0
  for (const slot of slots) {
    if (!isWithin(window, slot, hop)) continue
    packets += slot.packets
    outside += slot.energy - slot.inside
    for (let i = 0; i < values.length; i++) values[i]! += slot.values[i]!
    for (let i = 0; i < coefficients.length; i++) coefficients[i]! += slot.coefficients[i]!
  }
  const still = (powerOf(values) - powerOf(coefficients)) / packets
  return Math.max(0, outside - still) / (antennas * (basis.tones - basis.size) * (packets - 1))
}
