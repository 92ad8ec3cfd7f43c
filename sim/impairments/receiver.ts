/**
 * A receiver's hardware: what lies between the channel and the CSI that a device reports.
 *
 * Owns carrier phase, timing offset, gain control, filter ripple, antenna phase, noise and int8 quantisation. One
 * receiver is one state: its gain drifts from frame to frame. Boundary: lost and late packets are in `traffic.ts`.
 */
import { type Random, uniformIn } from "../random.ts"
import type { Field, Tones } from "../radio/field.ts"

export interface ReceiverImpairments {
  /** Standard deviation of the timing offset, nanoseconds; the carrier phase is uniform. */
  readonly timingSigmaNs: number
  /** Standard deviation of the gain from packet to packet. */
  readonly gainJitterDb: number
  /** Standard deviation of a step of the automatic gain control, and the mean time between steps. */
  readonly gainStepDb: number
  readonly gainStepSeconds: number
  readonly snrDb: number
  /** Standard deviation of what calibration left of each antenna's phase. */
  readonly antennaPhaseSigmaRad: number
  /** Peak of the smooth ripple of the receive filter over the band. */
  readonly rippleDb: number
  readonly rippleRad: number
}

/** Root mean square of a component, in steps of the int8 converter, at nominal gain. */
const nominalRms = 24

export interface Receiver {
  /**
   * Impairs `field` in place and writes it as int8 values, interleaved (re, im), to `into` from `offset`. `power` is
   * the mean power of the link's static response, to which noise and gain control relate.
   */
  readonly receive: (field: Field, power: number, timeS: number, into: Float32Array, offset: number) => void
}

const quantise = (value: number): number => Math.max(-127, Math.min(127, Math.round(value)))

export const createReceiver = (
  tones: Tones,
  antennas: number,
  impairments: ReceiverImpairments,
  hardware: Random,
  noise: Random,
): Receiver => {
  const count = tones.indices.length
  const reach = tones.indices[count - 1]!
  const qRe = new Float64Array(antennas * count)
  const qIm = new Float64Array(antennas * count)
  for (let a = 0; a < antennas; a++) {
    const phase = impairments.antennaPhaseSigmaRad * hardware.normal()
    const start = uniformIn(hardware, 0, 2 * Math.PI)
    for (let k = 0; k < count; k++) {
      const ripple = Math.cos((1.5 * Math.PI * tones.indices[k]!) / reach + start)
      const gain = 10 ** ((impairments.rippleDb * ripple) / 20)
      qRe[a * count + k] = gain * Math.cos(phase + impairments.rippleRad * ripple)
      qIm[a * count + k] = gain * Math.sin(phase + impairments.rippleRad * ripple)
    }
  }

  let gainDb = 0
  let nextStepS = 0
  const noiseScale = Math.sqrt(10 ** (-impairments.snrDb / 10) / 2)
  const receive: Receiver["receive"] = (field, power, timeS, into, offset) => {
    while (timeS >= nextStepS) {
      // The control pulls back to its nominal gain, so that the converter is never driven out of range for long.
      gainDb = 0.5 * gainDb + impairments.gainStepDb * noise.normal()
      nextStepS += -impairments.gainStepSeconds * Math.log(1 - noise.uniform()) + 0.05
    }
    const gain = 10 ** ((gainDb + impairments.gainJitterDb * noise.normal()) / 20)
    const scale = (gain * nominalRms * Math.SQRT2) / Math.sqrt(power)
    const carrierRad = 2 * Math.PI * noise.uniform()
    const delayS = impairments.timingSigmaNs * 1e-9 * noise.normal()
    const stepRad = -2 * Math.PI * tones.spacingHz * delayS
    const stepRe = Math.cos(stepRad)
    const stepIm = Math.sin(stepRad)
    const sigma = noiseScale * Math.sqrt(power)
    for (const run of tones.runs) {
      const first = carrierRad + stepRad * tones.indices[run.start]!
      let zRe = scale * Math.cos(first)
      let zIm = scale * Math.sin(first)
      for (let k = run.start; k < run.start + run.length; k++) {
        for (let a = 0; a < antennas; a++) {
          const i = a * count + k
          const hRe = field.re[i]! * qRe[i]! - field.im[i]! * qIm[i]! + sigma * noise.normal()
          const hIm = field.re[i]! * qIm[i]! + field.im[i]! * qRe[i]! + sigma * noise.normal()
          into[offset + 2 * i] = quantise(hRe * zRe - hIm * zIm)
          into[offset + 2 * i + 1] = quantise(hRe * zIm + hIm * zRe)
        }
        const nextRe = zRe * stepRe - zIm * stepIm
        zIm = zRe * stepIm + zIm * stepRe
        zRe = nextRe
      }
    }
  }
  return { receive }
}
