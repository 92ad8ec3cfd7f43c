/**
 * Front end: the response of a receive chain at each tone, constant from one boot to the next.
 *
 * It consists of the gain of the chain, filter ripple (smooth over the band, different for each chain), I/Q mismatch (after Zhuo et al. 2016:
 * a stable curvature of amplitude and phase over the tones), the phase of the antenna, and the phase to which the synthesiser locked.
 */
import type { Tones } from "../radio/tones.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Impairments } from "./impairments.ts"

/** Complex factors as [antenna][tone]. */
export interface FrontEnd {
  readonly re: Float64Array
  readonly im: Float64Array
}

/** A random sign with a magnitude between half of `most` and `most`. */
const eitherWay = (random: Random, most: number): number =>
  (random.uniform() < 0.5 ? -1 : 1) * uniformIn(random, most / 2, most)

/** Draws the receive chains of one boot. */
export const createFrontEnd = (
  tones: Tones,
  antennas: number,
  impairments: Impairments,
  hardware: Random,
): FrontEnd => {
  const count = tones.indices.length
  const reach = Math.max(...tones.indices.map(Math.abs))
  const re = new Float64Array(antennas * count)
  const im = new Float64Array(antennas * count)
  for (let a = 0; a < antennas; a++) {
    const antennaRad = impairments.antennasCalibrated
      ? impairments.antennaPhaseSigmaRad * hardware.normal()
      : uniformIn(hardware, 0, 2 * Math.PI)
    const locked = Math.floor(impairments.pllStates * hardware.uniform()) / impairments.pllStates
    const start = uniformIn(hardware, 0, 2 * Math.PI)
    const mismatch = 10 ** (eitherWay(hardware, impairments.iqGainDb) / 20)
    const skewRad = eitherWay(hardware, impairments.iqPhaseRad)
    const turnRad = uniformIn(hardware, 0.5, 1) * Math.PI
    // Sites without differences between chains draw nothing, so that their other draws stay the same.
    const chainDb = impairments.chainGainSigmaDb > 0 ? impairments.chainGainSigmaDb * hardware.normal() : 0
    for (let k = 0; k < count; k++) {
      const place = tones.indices[k]! / reach
      const ripple = Math.cos(1.5 * Math.PI * place + start)
      const gain = 10 ** ((chainDb + impairments.rippleDb * ripple) / 20)
      const rad = antennaRad + 2 * Math.PI * locked + impairments.rippleRad * ripple - turnRad * place
      // The tone passes the mismatched branches at the angle turnRad * place and is rotated back by that angle.
      const i = gain * Math.cos(turnRad * place)
      const q = gain * mismatch * Math.sin(turnRad * place + skewRad)
      re[a * count + k] = i * Math.cos(rad) - q * Math.sin(rad)
      im[a * count + k] = i * Math.sin(rad) + q * Math.cos(rad)
    }
  }
  return { re, im }
}
