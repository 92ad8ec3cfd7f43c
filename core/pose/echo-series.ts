/**
 * The echo series of one link: its dynamic response of the last seconds, packet by packet, in a basis over tones.
 *
 * Owns the raw input of the pose network: the times and coefficients of a link's packets, and the steering to a place.
 * Boundary: `link-token.ts` computes the features of a place.
 *
 * Invariants: at most `rowsMax` packets; times ascend; a hop earlier than the last empties the series.
 */
import type { SiteGeometry } from "../imaging/geometry.ts"
import { createSteering, reachOf, type Steering } from "../imaging/steering.ts"
import { createToneBasis, projectTones } from "../imaging/tone-basis.ts"
import { speedOfLightMps } from "../math/speed-of-light.ts"
import { hopUs, type LinkObservation, type Observation } from "../observation/observation.ts"

/** Two seconds of 256 packets. */
const rowsMax = 512
/** Minimum number of tones for steering to a delay. */
const tonesMin = 4

/**
 * Steering vectors over tones, times the first Legendre polynomials of frequency: the level, slope and curvature of a
 * response over the band.
 */
export const bandMoments = 3

export interface EchoSeries {
  readonly steering: Steering
  readonly directM: number
  readonly wavelengthM: number
  /** Bandwidth that the tones span. */
  readonly bandHz: number
  /** Complex values of a row, [antenna][basis function]. */
  readonly width: number
  /**
   * [entry of `steering.vectors`][moment][basis function], interleaved complex, scaled so that a match gives the mean
   * amplitude per tone.
   */
  readonly matches: Float32Array
  /** Ring of rows; row r is at `r % rowsMax`. */
  readonly timesS: Float64Array
  readonly rows: Float32Array
  /** Number of the next row, and of the oldest valid one. */
  next: number
  first: number
}

/** Values at a frequency in -1..1: P0, P1, P2. */
const legendre = (f: number): readonly [number, number, number] => [1, f, 1.5 * f * f - 0.5]

const matchesOf = ({ basis, vectors }: Steering): Float32Array => {
  const { frequencies, size, tones, values } = basis
  const out = new Float32Array(vectors.length * bandMoments * 2 * size)
  const tone = new Float64Array(2 * tones)
  for (const [entry, vector] of vectors.entries()) {
    tone.fill(0)
    for (let q = 0; q < size; q++) {
      for (let k = 0; k < tones; k++) {
        tone[2 * k]! += values[q * tones + k]! * vector[2 * q]!
        tone[2 * k + 1]! += values[q * tones + k]! * vector[2 * q + 1]!
      }
    }
    for (let k = 0; k < tones; k++) {
      const moments = legendre(frequencies[k]!)
      for (let m = 0; m < bandMoments; m++) {
        const weight = moments[m]! / Math.sqrt(tones)
        for (let q = 0; q < size; q++) {
          const to = 2 * ((entry * bandMoments + m) * size + q)
          out[to]! += weight * values[q * tones + k]! * tone[2 * k]!
          out[to + 1]! += weight * values[q * tones + k]! * tone[2 * k + 1]!
        }
      }
    }
  }
  return out
}

/**
 * The series of a link between two nodes of the geometry; null when a node is missing, or the link has too few tones, no
 * bandwidth or an unknown centre frequency.
 */
export const createEchoSeries = (
  geometry: SiteGeometry,
  observation: Observation,
  transmitterId: string,
): EchoSeries | null => {
  const transmitter = geometry.nodes.find(({ nodeId }) => nodeId === transmitterId)
  const receiver = geometry.nodes.find(({ nodeId }) => nodeId === observation.routerId)
  const { centerFrequencyHz, receiveAntennas, tonesHz } = observation
  if (transmitter === undefined || receiver === undefined || tonesHz.length < tonesMin) return null
  const bandHz = tonesHz[tonesHz.length - 1]! - tonesHz[0]!
  if (!(centerFrequencyHz > 0 && bandHz > 0)) return null
  const reachM = reachOf(geometry, transmitter.position, receiver.position)
  const basis = createToneBasis(tonesHz, reachM)
  const steering = createSteering({ transmitter, receiver }, reachM, receiveAntennas, basis, tonesHz)
  const width = receiveAntennas * basis.size
  return {
    steering,
    directM: Math.max(0.1, steering.directM),
    wavelengthM: speedOfLightMps / centerFrequencyHz,
    bandHz,
    width,
    matches: matchesOf(steering),
    timesS: new Float64Array(rowsMax),
    rows: new Float32Array(rowsMax * 2 * width),
    next: 0,
    first: 0,
  }
}

/** Position of a row in the ring. */
export const slotOf = (row: number): number => row % rowsMax

/** Adds a hop's packets. */
export const addEchoes = (series: EchoSeries, hop: number, link: LinkObservation): void => {
  const { rows, steering: { antennas, basis }, timesS, width } = series
  const beginS = (hop * hopUs) / 1e6
  if (series.next > series.first && beginS < timesS[slotOf(series.next - 1)]!) series.first = series.next
  const stride = 2 * antennas * basis.tones
  const count = link.dynamic.length / stride
  for (let packet = 0; packet < count; packet++) {
    const slot = slotOf(series.next)
    timesS[slot] = beginS + link.dynamicTimesS[packet]!
    projectTones(basis, antennas, link.dynamic, packet * stride, rows, 2 * slot * width)
    series.next++
    series.first = Math.max(series.first, series.next - rowsMax)
  }
}
