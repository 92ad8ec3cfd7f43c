/**
 * The hardware of a receiver, between the channel and the CSI that a device reports.
 *
 * Owns the effects that differ from packet to packet: carrier phase, timing, gain, noise, interference, and int8 quantisation. One
 * receiver is one boot. Boundary: constant effects are in `front-end.ts`, gain control in `gain-control.ts`, lost and late packets
 * in `traffic.ts`.
 */
import { type Field, meanPower } from "../radio/field.ts"
import type { Tones } from "../radio/tones.ts"
import type { Random } from "../randomness/random.ts"
import type { Clock } from "./clock.ts"
import { createFrontEnd, type FrontEnd } from "./front-end.ts"
import { createGainControl, followedGain, type GainControl } from "./gain-control.ts"
import type { Impairments } from "./impairments.ts"

/** Time from the first sample to the middle of the training field, during which two oscillators drift apart. */
const preambleS = 36e-6
const timingMaxNs = 200
const fullScaleSteps = 127

export interface Receiver {
  /**
   * Writes the device's report of `field`, received from node `transmitter` at `timeS` (which never decreases): int8 values,
   * interleaved (re, im) as [antenna][tone], to `into` from `offset`. `field` is not changed.
   */
  readonly receive: (transmitter: number, field: Field, timeS: number, into: Float32Array, offset: number) => void
}

/** State of the reception of one transmitter. */
interface LinkState {
  readonly gain: GainControl
  /** Factor that brings the peak of the empty response to full scale. */
  readonly scale: number
  /** Mean power of the empty response. */
  readonly power: number
  /** Standard deviation of a component of the noise. */
  readonly noise: number
  /** Constant delay caused by the difference of the oscillators. */
  readonly delayS: number
}

/** Received signal strength as devices report it: whole dBm. */
export const signalStrengthDbm = (field: Field, transmitPowerDbm: number): number =>
  Math.max(-127, Math.min(0, Math.round(transmitPowerDbm + 10 * Math.log10(meanPower(field)))))

const peakOf = ({ im, re }: Field, frontEnd: FrontEnd): number => {
  let peak = 0
  for (let i = 0; i < re.length; i++) {
    peak = Math.max(peak, Math.hypot(re[i]!, im[i]!) * Math.hypot(frontEnd.re[i]!, frontEnd.im[i]!))
  }
  return peak
}

const quantise = (value: number): number => Math.max(-fullScaleSteps, Math.min(fullScaleSteps, Math.round(value)))

/**
 * A receiver as of its boot.
 *
 * @param empty Response of the empty room by transmitting node, the reference of gain and noise; null for nodes that are not received.
 * @param clocks Clocks of all nodes; `self` is the receiver's index.
 */
export const createReceiver = (
  tones: Tones,
  antennas: number,
  impairments: Impairments,
  empty: ReadonlyArray<Field | null>,
  clocks: ReadonlyArray<Clock>,
  self: number,
  hardware: Random,
  noise: Random,
): Receiver => {
  const count = tones.indices.length
  const frontEnd = createFrontEnd(tones, antennas, impairments, hardware)
  const links = empty.map((field, transmitter): LinkState | null =>
    field === null ? null : {
      gain: createGainControl(impairments, noise),
      scale: fullScaleSteps / peakOf(field, frontEnd),
      power: meanPower(field),
      noise: Math.sqrt((meanPower(field) * 10 ** (-impairments.snrDb / 10)) / (2 * tones.grouping)),
      delayS: (clocks[self]!.oscillatorPpm - clocks[transmitter]!.oscillatorPpm) * 1e-6 * preambleS,
    }
  )
  const carrierRe = new Float64Array(count)
  const carrierIm = new Float64Array(count)

  const setCarrier = (scale: number, delayS: number): void => {
    const phase = 2 * Math.PI * noise.uniform()
    for (const { length, start } of tones.runs) {
      const stepRad = -2 * Math.PI * tones.spacingHz * tones.step * delayS
      const first = phase - 2 * Math.PI * tones.spacingHz * tones.indices[start]! * delayS
      const stepRe = Math.cos(stepRad)
      const stepIm = Math.sin(stepRad)
      let re = scale * Math.cos(first)
      let im = scale * Math.sin(first)
      for (let k = start; k < start + length; k++) {
        carrierRe[k] = re
        carrierIm[k] = im
        const next = re * stepRe - im * stepIm
        im = re * stepIm + im * stepRe
        re = next
      }
    }
  }

  const receive: Receiver["receive"] = (transmitter, field, timeS, into, offset) => {
    const link = links[transmitter] ?? null
    if (link === null) {
      throw new RangeError(`Node ${transmitter} has no empty response at this receiver; pass it to createReceiver.`)
    }
    const jitter = 10 ** ((impairments.gainJitterDb * noise.normal()) / 20)
    const timingNs = Math.max(-timingMaxNs, Math.min(timingMaxNs, impairments.timingSigmaNs * noise.normal()))
    const followed = followedGain(meanPower(field) / link.power, impairments.gainFollowsDb)
    setCarrier(link.scale * link.gain(timeS) * jitter * followed, link.delayS + timingNs * 1e-9)
    const disturbed = noise.uniform() < impairments.interferenceRate
    const louder = 10 ** (impairments.interferenceDb / 20)
    // Only interference in a part of the band draws its place.
    const hit = Math.min(count, Math.ceil(impairments.interferenceBand * count))
    const first = disturbed && hit < count ? Math.floor((count - hit + 1) * noise.uniform()) : 0
    for (let a = 0, i = 0; a < antennas; a++) {
      for (let k = 0; k < count; k++, i++) {
        const sigma = link.noise * (disturbed && k >= first && k < first + hit ? louder : 1)
        const hRe = field.re[i]! * frontEnd.re[i]! - field.im[i]! * frontEnd.im[i]! + sigma * noise.normal()
        const hIm = field.re[i]! * frontEnd.im[i]! + field.im[i]! * frontEnd.re[i]! + sigma * noise.normal()
        into[offset + 2 * i] = quantise(hRe * carrierRe[k]! - hIm * carrierIm[k]!)
        into[offset + 2 * i + 1] = quantise(hRe * carrierIm[k]! + hIm * carrierRe[k]!)
      }
    }
  }
  return { receive }
}
