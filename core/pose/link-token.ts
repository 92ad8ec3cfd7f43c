/**
 * The token of a link for a person: the link's echoes from the person's place, and its geometry relative to the person.
 *
 * Owns the layout of the pose network's input. A token consists of
 *   - the Doppler spectrum of the response steered to the place, over a short window (limbs) and a long one (sway,
 *     breath, the still body), as logarithms of power times the range law, with their cross terms (`link-spectrum.ts`);
 *   - the geometry, in the person's own frame (`person-input.ts`), and the radio's parameters.
 * Boundary: the network is `network.ts`; `sim/training` writes and reads the same layout.
 */
import { spectra, type SpectrumBins, spectrumSize, writeSpectrum } from "./link-spectrum.ts"
import type { SteeredLink } from "./steered-link.ts"

/**
 * Directions of a token (unit vectors in the person's frame): to the transmitter, to the receiver, their sum, the
 * array's axis.
 */
export const tokenDirections = 4
/** Values after the directions: lengths of the paths, then the radio's band, bandwidth, packet rate and antennas. */
export const tokenDistances = 4
const scalars = tokenDistances + 4

/** Offset of the directions in a token. */
export const tokenDirectionsAt = spectra.reduce((sum, spectrum) => sum + spectrumSize(spectrum), 0)
/** Offset of the third of them: the sum of both unit vectors, along which a velocity shortens the path. */
export const tokenShorteningAt = tokenDirectionsAt + 6
/** Values of a token. */
export const tokenSize = tokenDirectionsAt + 3 * tokenDirections + scalars

/** Minimum packets in the short window of a usable link. */
const rowsMin = 4

/** A vector of the room in a person's frame: rotated about the vertical so that x is the person's heading. */
const writeDirection = (x: number, y: number, z: number, headingRad: number, out: Float32Array, at: number): void => {
  const forwardX = Math.cos(headingRad)
  const forwardY = Math.sin(headingRad)
  out[at] = x * forwardX + y * forwardY
  out[at + 1] = y * forwardX - x * forwardY
  out[at + 2] = z
}

/**
 * Writes the token of steered link `i` of `found` for a person whose body faces `headingRad` to `out` from `at`.
 *
 * @returns false, and writes zeros, when the link has too few packets in the short window.
 */
export const writeToken = (
  { bearing, place, series }: SteeredLink,
  found: ReadonlyArray<SpectrumBins>,
  i: number,
  headingRad: number,
  out: Float32Array,
  at: number,
): boolean => {
  const { bandHz, directM, steering, wavelengthM } = series
  const rowsShort = found[0]!.rows[i]!
  if (rowsShort < rowsMin) {
    out.fill(0, at, at + tokenSize)
    return false
  }
  const d1M = Math.max(bearing.d1M, 0.2)
  const d2M = Math.max(bearing.d2M, 0.2)
  let to = at
  for (const one of found) {
    writeSpectrum(one, i, (d1M * d2M) / directM, out, to)
    to += spectrumSize(one.spectrum)
  }
  const { arrayAxis, receiver, transmitter } = steering
  const u1 = [0, 1, 2].map((i) => (transmitter[i]! - place[i]!) / d1M)
  const u2 = [0, 1, 2].map((i) => (receiver[i]! - place[i]!) / d2M)
  for (const [x, y, z] of [u1, u2, u1.map((value, i) => value + u2[i]!), arrayAxis]) {
    writeDirection(x!, y!, z!, headingRad, out, to)
    to += 3
  }
  out[to] = Math.log(d1M)
  out[to + 1] = Math.log(d2M)
  out[to + 2] = directM / 5
  out[to + 3] = (d1M + d2M - directM) / 3
  out[to + 4] = Math.log(wavelengthM / 0.1)
  out[to + 5] = Math.log(bandHz / 4e7) / 2
  out[to + 6] = Math.log(rowsShort / (100 * spectra[0].windowS))
  out[to + 7] = steering.antennas / 3
  return true
}
