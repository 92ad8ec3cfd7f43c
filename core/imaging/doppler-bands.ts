/**
 * Doppler bands: a link's window split by the rate at which the path over the reflector changes its length.
 *
 * Two persons seldom have the same velocity towards both nodes of a link, so one of them dominates in most bands. The
 * mean over the window is a band of its own: with a static response of the empty room it is the echo of static bodies.
 *
 * Owns the bands, their second moments and the spectrum that they sum up. Powers are means over the window's packets.
 */
import { createRowTransform, type RowTransform } from "../math/fourier.ts"
import { speedOfLightMps } from "../math/speed-of-light.ts"
import { isWithin, type LinkWindow, noiseAt, packetsAt } from "./link-window.ts"
import { addOuter, type PackedHermitian, traceOf } from "./packed-hermitian.ts"

/** Edges of the bands, in metres per second of path length; a body that walks at 1 m/s changes paths by up to 2 m/s. */
const edgesMps = [0.15, 0.45, 0.9, 1.4, 2]
/** The fastest resolved change. */
const fastestMps = 2.6
/** Bounds the work of a window; sufficient up to 5.7 GHz, above which the fastest changes alias. */
const samplesPerHopMax = 10
/** Minimum packets of a usable window. */
const packetsMin = 4

/** Samples of slow time in a hop: enough for the fastest change of path at this frequency. */
export const samplesPerHopOf = (centerFrequencyHz: number, hopS: number): number => {
  const shiftHz = (fastestMps * centerFrequencyHz) / speedOfLightMps
  return Math.max(2, Math.min(samplesPerHopMax, Math.ceil(2 * shiftHz * hopS)))
}

/**
 * Division of a window's spectrum into bands. Band 0 is the mean, band 1 slow in both directions, then pairs of the two
 * directions.
 */
export interface BandPlan {
  readonly bands: number
  readonly bins: number
  /** Band of each bin. */
  readonly bandOfBin: Uint8Array
  readonly binsOfBand: Float64Array
  /** Change of path per bin, m/s. */
  readonly binMps: number
  /** Taper over the samples of a window. */
  readonly taper: Float64Array
  readonly transform: RowTransform
}

/** The plan of windows of `hops` hops of `hopS` seconds, at most one band pair for each edge. */
export const createBandPlan = (
  hops: number,
  samplesPerHop: number,
  hopS: number,
  centerFrequencyHz: number,
): BandPlan => {
  const samples = hops * samplesPerHop
  const bins = 2 ** Math.max(4, Math.ceil(Math.log2(samples)))
  const binMps = ((samplesPerHop / hopS / bins) * speedOfLightMps) / centerFrequencyHz
  const bands = 2 + 2 * edgesMps.length
  const bandOfBin = Uint8Array.from({ length: bins }, (_, bin) => {
    const signed = bin < bins / 2 ? bin : bin - bins
    const above = edgesMps.filter((edge) => Math.abs(signed) * binMps >= edge).length
    return above === 0 ? 1 : 2 * above + (signed > 0 ? 0 : 1)
  })
  const binsOfBand = new Float64Array(bands)
  binsOfBand[0] = 1
  for (const band of bandOfBin) binsOfBand[band]!++
  return {
    bands,
    bins,
    bandOfBin,
    binsOfBand,
    binMps,
    taper: Float64Array.from({ length: samples }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / samples) ** 2),
    transform: createRowTransform(bins),
  }
}

/** The content of a window, band by band. The arrays belong to the link and are overwritten by its next window. */
export interface BandMoments {
  readonly packets: number
  /** Second moments by band, order antenna x basis function. */
  readonly covariances: ReadonlyArray<PackedHermitian>
  /**
   * Noise energy of one coefficient in each band; in band 1 an upper bound, because the mean removes most of that
   * noise.
   */
  readonly noise: Float64Array
  /** Energy of each band, noise included. */
  readonly energies: Float64Array
  /** The mean, and the spectrum of the motion about it, [bin][coefficient]. */
  readonly mean: Float64Array
  readonly spectrum: Float64Array
}

export const createBandMoments = (window: LinkWindow, plan: BandPlan): BandMoments => ({
  packets: 0,
  covariances: Array.from({ length: plan.bands }, () => new Float64Array(window.size * window.size)),
  noise: new Float64Array(plan.bands),
  energies: new Float64Array(plan.bands),
  mean: new Float64Array(2 * window.size),
  spectrum: new Float64Array(2 * window.size * plan.bins),
})

/** A sample of slow time with packets. */
interface Sample {
  /** Its number in the window. */
  readonly number: number
  /** Location of its values. */
  readonly samples: Float64Array
  readonly at: number
  readonly packets: number
}

/** The samples of the window that ends with `hop`. */
const samplesAt = (window: LinkWindow, hop: number): ReadonlyArray<Sample> => {
  const { samplesPerHop, size, slots } = window
  const found: Array<Sample> = []
  for (const slot of slots) {
    if (!isWithin(window, slot, hop)) continue
    const first = (slot.hop - (hop - slots.length + 1)) * samplesPerHop
    for (let i = 0; i < samplesPerHop; i++) {
      const packets = slot.counts[i]!
      if (packets > 0) found.push({ number: first + i, samples: slot.samples, at: 2 * size * i, packets })
    }
  }
  return found
}

/**
 * Writes the spectrum of the motion about the mean; the energies of its bins add up to the mean energy under the taper.
 */
const fillSpectrum = (
  found: ReadonlyArray<Sample>,
  { bins, taper, transform }: BandPlan,
  squares: number,
  { mean, spectrum }: BandMoments,
): void => {
  const length = mean.length
  const scale = 1 / Math.sqrt(bins * squares)
  spectrum.fill(0)
  for (const { at, number, samples } of found) {
    const weight = scale * taper[number]!
    const to = number * length
    for (let v = 0; v < length; v++) spectrum[to + v] = weight * (samples[at + v]! - mean[v]!)
  }
  transform(spectrum, length / 2)
}

const fillCovariances = (
  { covariances, energies, mean, spectrum }: BandMoments,
  { bandOfBin, bins }: BandPlan,
  size: number,
): void => {
  for (const covariance of covariances) covariance.fill(0)
  addOuter(covariances[0]!, mean, 0, size)
  for (let bin = 0; bin < bins; bin++) addOuter(covariances[bandOfBin[bin]!]!, spectrum, 2 * size * bin, size)
  for (const [band, covariance] of covariances.entries()) energies[band] = traceOf(covariance, size)
}

/** The moments of the window that ends with `hop`, written to `into`; null with fewer than four packets. */
export const bandMomentsAt = (
  window: LinkWindow,
  plan: BandPlan,
  hop: number,
  into: BandMoments,
): BandMoments | null => {
  const packets = packetsAt(window, hop)
  if (packets < packetsMin) return null
  const { bins, taper } = plan
  const { mean, noise } = into
  const found = samplesAt(window, hop)
  mean.fill(0)
  let perPacket = 0
  let weights = 0
  let squares = 0
  for (const { at, number, packets, samples } of found) {
    const weight = taper[number]!
    perPacket += 1 / packets
    weights += weight
    squares += weight * weight
    for (let i = 0; i < mean.length; i++) mean[i]! += weight * samples[at + i]!
  }
  for (let i = 0; i < mean.length; i++) mean[i]! /= weights
  fillSpectrum(found, plan, squares, into)
  fillCovariances(into, plan, window.size)
  // A sample is the mean of some packets, so its noise is lower than theirs.
  const noiseOfSample = (noiseAt(window, hop) * perPacket) / found.length
  noise[0] = (noiseOfSample * squares) / (weights * weights)
  for (let band = 1; band < plan.bands; band++) noise[band] = (noiseOfSample * plan.binsOfBand[band]!) / bins
  return { ...into, packets }
}
