/**
 * The field of one frame: the complex channel over receive antennas and subcarriers, and the contribution of one path.
 *
 * Boundary: the paths are in `empty-room.ts` and `legs.ts`, the effects of the receiver in `sim/impairments`.
 */
import { speedOfLightMps } from "../../core/math/speed-of-light.ts"
import type { Tones } from "./tones.ts"

/** Complex values as [antenna][tone]. */
export interface Field {
  readonly antennas: number
  readonly re: Float64Array
  readonly im: Float64Array
}

export const createField = (tones: Tones, antennas: number): Field => ({
  antennas,
  re: new Float64Array(antennas * tones.indices.length),
  im: new Float64Array(antennas * tones.indices.length),
})

/** Mean power of a field's values. */
export const meanPower = ({ im, re }: Field): number => {
  let sum = 0
  for (let i = 0; i < re.length; i++) sum += re[i]! * re[i]! + im[i]! * im[i]!
  return sum / re.length
}

/** Adds a path of complex gain (gainRe, gainIm) and of `lengthM` to one antenna's row: gain e^{-j 2 pi f length / c}. */
export const addPath = (
  field: Field,
  tones: Tones,
  antenna: number,
  gainRe: number,
  gainIm: number,
  lengthM: number,
): void => {
  const { im, re } = field
  const row = antenna * tones.indices.length
  const radPerHz = (-2 * Math.PI * lengthM) / speedOfLightMps
  const stepRe = Math.cos(radPerHz * tones.spacingHz * tones.step)
  const stepIm = Math.sin(radPerHz * tones.spacingHz * tones.step)
  for (const { length, start } of tones.runs) {
    const rad = radPerHz * (tones.centerFrequencyHz + tones.indices[start]! * tones.spacingHz)
    let zRe = gainRe * Math.cos(rad) - gainIm * Math.sin(rad)
    let zIm = gainRe * Math.sin(rad) + gainIm * Math.cos(rad)
    for (let i = row + start; i < row + start + length; i++) {
      re[i]! += zRe
      im[i]! += zIm
      const nextRe = zRe * stepRe - zIm * stepIm
      zIm = zRe * stepIm + zIm * stepRe
      zRe = nextRe
    }
  }
}
