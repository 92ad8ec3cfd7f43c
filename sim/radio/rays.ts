/**
 * Rays: the hot loops from lengths and gains to sums over tones.
 *
 * A ray is one straight path from an element of a node, or of its image, to a point. Its phase at the first tone and its advance
 * per tone cost one sine and cosine each; the other tones follow by complex multiplication. The loops allocate nothing.
 */
import { speedOfLightMps } from "../../core/math/speed-of-light.ts"
import type { Tones } from "./tones.ts"

/** Rays as [element][image], the images padded to a multiple of four with gains of 0. */
export interface Rays {
  readonly elements: number
  readonly imagesPadded: number
  /** Length in metres; gain, which `turnRays` rotates by the phase at the first tone; phase advance over one step of the tones. */
  readonly lengthM: Float64Array
  readonly re: Float64Array
  readonly im: Float64Array
  readonly stepRe: Float64Array
  readonly stepIm: Float64Array
  /** [element][tone]: sums over images. */
  readonly sumRe: Float64Array
  readonly sumIm: Float64Array
}

export const createRays = (elements: number, images: number, tones: number): Rays => {
  const imagesPadded = 4 * Math.ceil(images / 4)
  const count = elements * imagesPadded
  return {
    elements,
    imagesPadded,
    lengthM: new Float64Array(count),
    re: new Float64Array(count),
    im: new Float64Array(count),
    stepRe: new Float64Array(count),
    stepIm: new Float64Array(count),
    sumRe: new Float64Array(elements * tones),
    sumIm: new Float64Array(elements * tones),
  }
}

/**
 * Rotates the gain of each ray by the phase -2 pi f length / c at the first tone, and sets the advance over a step. Sine and cosine
 * are Taylor series of a quarter of the angle, within pi / 4, and two doublings: exact to 1e-11, without a branch.
 */
export const turnRays = ({ im, lengthM, re, stepIm, stepRe }: Rays, tones: Tones): void => {
  const first = (tones.centerFrequencyHz + tones.indices[0]! * tones.spacingHz) / speedOfLightMps
  const step = (tones.spacingHz * tones.step) / speedOfLightMps
  const count = lengthM.length
  for (let r = 0; r < count; r++) {
    const length = lengthM[r]!
    for (let part = 0; part < 2; part++) {
      const turns = length * (part === 0 ? first : step)
      const x = (Math.PI / 2) * (Math.floor(turns + 0.5) - turns)
      const q = x * x
      const s0 = x *
        (1 - (q / 6) * (1 - (q / 20) * (1 - (q / 42) * (1 - (q / 72) * (1 - (q / 110) * (1 - q / 156))))))
      const c0 = 1 - (q / 2) * (1 - (q / 12) * (1 - (q / 30) * (1 - (q / 56) * (1 - (q / 90) * (1 - q / 132)))))
      const s1 = 2 * s0 * c0
      const c1 = c0 * c0 - s0 * s0
      const s = 2 * s1 * c1
      const c = c1 * c1 - s1 * s1
      if (part === 0) {
        const gain = re[r]!
        re[r] = gain * c - im[r]! * s
        im[r] = gain * s + im[r]! * c
      } else {
        stepRe[r] = c
        stepIm[r] = s
      }
    }
  }
}

/**
 * Adds the ray `from` and the three after it to every tone of one row, by recurrence. With four at a time, the sums are read and
 * written once for four independent chains.
 */
const addFour = (rays: Rays, from: number, row: number, runs: Tones["runs"]): void => {
  const { im, re, stepIm, stepRe, sumIm, sumRe } = rays
  let aRe = re[from]!, aIm = im[from]!, bRe = re[from + 1]!, bIm = im[from + 1]!
  let cRe = re[from + 2]!, cIm = im[from + 2]!, dRe = re[from + 3]!, dIm = im[from + 3]!
  const aC = stepRe[from]!, aS = stepIm[from]!, bC = stepRe[from + 1]!, bS = stepIm[from + 1]!
  const cC = stepRe[from + 2]!, cS = stepIm[from + 2]!, dC = stepRe[from + 3]!, dS = stepIm[from + 3]!
  for (let run = 0; run < runs.length; run++) {
    const { length, start, stepsBefore } = runs[run]!
    // The recurrence is already one step past the last tone of the previous run; steps over a gap add nothing.
    for (let i = row + start - Math.max(0, stepsBefore - 1); i < row + start + length; i++) {
      if (i >= row + start) {
        sumRe[i]! += aRe + bRe + (cRe + dRe)
        sumIm[i]! += aIm + bIm + (cIm + dIm)
      }
      let next = aRe * aC - aIm * aS
      aIm = aRe * aS + aIm * aC
      aRe = next
      next = bRe * bC - bIm * bS
      bIm = bRe * bS + bIm * bC
      bRe = next
      next = cRe * cC - cIm * cS
      cIm = cRe * cS + cIm * cC
      cRe = next
      next = dRe * dC - dIm * dS
      dIm = dRe * dS + dIm * dC
      dRe = next
    }
  }
}

/** Sums the rotated rays of each element over its images, at every tone. */
export const sumRays = (rays: Rays, tones: Tones): void => {
  const { elements, imagesPadded, sumIm, sumRe } = rays
  const count = tones.indices.length
  sumRe.fill(0)
  sumIm.fill(0)
  for (let e = 0; e < elements; e++) {
    for (let r = e * imagesPadded; r < (e + 1) * imagesPadded; r += 4) addFour(rays, r, e * count, tones.runs)
  }
}
