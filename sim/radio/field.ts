/**
 * The field of one frame: the complex channel over receive antennas and subcarriers, and how one path adds to it.
 *
 * Boundary: which paths there are is in `link.ts`; what the receiver does to the field is in `sim/impairments`.
 */

export const speedOfLightMps = 299_792_458

/** Subcarrier grid of 802.11n: indices of the centre, in runs of neighbours. */
export interface Tones {
  readonly indices: Int16Array
  readonly spacingHz: number
  readonly centerFrequencyHz: number
  readonly runs: ReadonlyArray<{ readonly start: number; readonly length: number }>
}

/** Complex values as [antenna][tone]. */
export interface Field {
  readonly antennas: number
  readonly re: Float64Array
  readonly im: Float64Array
}

/** One propagation path at one moment. */
export interface Path {
  readonly amplitude: number
  readonly lengthM: number
  readonly phaseRad: number
  /** Cosine between the receive array's axis and the direction that the path comes from. */
  readonly cosArrival: number
}

/** HT20: 56 subcarriers, -28..28 without 0. HT40: 114 subcarriers, -58..58 without -1, 0, 1. */
export const createTones = (centerFrequencyHz: number, bandwidthMhz: 20 | 40): Tones => {
  const [outer, inner] = bandwidthMhz === 20 ? [28, 1] : [58, 2]
  const side = outer - inner + 1
  const indices = new Int16Array(2 * side)
  for (let i = 0; i < side; i++) {
    indices[i] = i - outer
    indices[side + i] = inner + i
  }
  return {
    indices,
    spacingHz: 312_500,
    centerFrequencyHz,
    runs: [{ start: 0, length: side }, { start: side, length: side }],
  }
}

export const createField = (tones: Tones, antennas: number): Field => ({
  antennas,
  re: new Float64Array(antennas * tones.indices.length),
  im: new Float64Array(antennas * tones.indices.length),
})

/**
 * Adds a path to a field: amplitude * e^{-j 2 pi f length / c + j phase} at each tone's frequency f, and
 * e^{j pi a cosArrival} over antennas a, half a wavelength apart and counted from the array's middle.
 * Phases advance by complex multiplication, so that a path costs a few sines and not one per value.
 */
export const addPath = (field: Field, tones: Tones, path: Path): void => {
  const count = tones.indices.length
  const { re, im, antennas } = field
  const delayS = path.lengthM / speedOfLightMps
  const stepRad = -2 * Math.PI * tones.spacingHz * delayS
  const stepRe = Math.cos(stepRad)
  const stepIm = Math.sin(stepRad)
  for (let a = 0; a < antennas; a++) {
    const antennaRad = Math.PI * (a - (antennas - 1) / 2) * path.cosArrival + path.phaseRad
    for (const run of tones.runs) {
      const frequencyHz = tones.centerFrequencyHz + tones.indices[run.start]! * tones.spacingHz
      const phase = antennaRad - 2 * Math.PI * frequencyHz * delayS
      let zRe = path.amplitude * Math.cos(phase)
      let zIm = path.amplitude * Math.sin(phase)
      const end = a * count + run.start + run.length
      for (let i = a * count + run.start; i < end; i++) {
        re[i] = re[i]! + zRe
        im[i] = im[i]! + zIm
        const nextRe = zRe * stepRe - zIm * stepIm
        zIm = zRe * stepIm + zIm * stepRe
        zRe = nextRe
      }
    }
  }
}
