/** Random radios and hardware impairments of a suite. */
import { drawImpairments, type Impairments, unimpaired } from "../impairments/impairments.ts"
import { radioMistake, type RadioSettings } from "../radio/tones.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import { drawOne } from "./draws.ts"

/**
 * `none`: int8 quantisation only. `usual`: the ranges of real devices. `heavy`: the worse ends of these ranges. `wild`: devices of all
 * kinds, from clean ones to those with pauses, gain control that follows, coarse values, unequal chains and interference.
 */
export type ImpairmentLevel = "none" | "usual" | "heavy" | "wild"

export type BandGhz = 2.4 | 5 | 6
export type BandwidthMhz = 20 | 40 | 80 | 160

/** Channel centres of each band at each bandwidth, MHz. */
const centersMhz: Readonly<Record<BandGhz, Partial<Record<BandwidthMhz, ReadonlyArray<number>>>>> = {
  2.4: { 20: [2412, 2437, 2462], 40: [2422, 2437, 2452] },
  5: { 20: [5180, 5260, 5500, 5745], 40: [5190, 5270, 5510, 5755], 80: [5210, 5290, 5530, 5775], 160: [5250, 5570] },
  6: { 20: [5975, 6175, 6415], 40: [5985, 6165, 6405], 80: [6025, 6185, 6425], 160: [6025, 6185, 6505] },
}

/**
 * Draws a channel and its radio. The standard is 802.11n in the 2.4 GHz band and up to 40 MHz at 5 GHz, 802.11ac for wider channels
 * at 5 GHz, and 802.11ax at 6 GHz. Throws a RangeError when no band has one of the bandwidths.
 */
export const drawRadio = (
  random: Random,
  bands: ReadonlyArray<BandGhz>,
  bandwidths: ReadonlyArray<BandwidthMhz>,
  subcarriers: "all" | number,
): RadioSettings & { readonly bandwidthMhz: BandwidthMhz } => {
  const possible = bands.flatMap((band) =>
    bandwidths.flatMap((bandwidthMhz) =>
      (centersMhz[band][bandwidthMhz] ?? []).length === 0 ? [] : [{ band, bandwidthMhz }]
    )
  )
  if (possible.length === 0) {
    throw new RangeError(`No band of ${bands.join(", ")} GHz has channels of ${bandwidths.join(", ")} MHz.`)
  }
  const { band, bandwidthMhz } = drawOne(random, possible)
  const centerFrequencyHz = drawOne(random, centersMhz[band][bandwidthMhz]!) * 1e6
  const standard = band === 2.4 ? "802.11n" : band === 5 ? (bandwidthMhz <= 40 ? "802.11n" : "802.11ac") : "802.11ax"
  const radio = { centerFrequencyHz, bandwidthMhz, standard, subcarriers } as const
  const mistake = radioMistake(radio)
  if (mistake !== null) throw new RangeError(mistake)
  return radio
}

/** The worse end of a range of `drawImpairments`. */
const worsened = (usual: Impairments, random: Random): Impairments => ({
  ...usual,
  timingSigmaNs: uniformIn(random, 50, 60),
  antennaPhaseSigmaRad: uniformIn(random, 0.15, 0.3),
  gainJitterDb: uniformIn(random, 0.2, 0.4),
  gainStepDb: uniformIn(random, 2, 3),
  gainStepSeconds: uniformIn(random, 1, 5),
  iqGainDb: uniformIn(random, 1, 1.5),
  iqPhaseRad: uniformIn(random, 0.05, 0.09),
  rippleDb: uniformIn(random, 0.7, 1),
  rippleRad: uniformIn(random, 0.15, 0.2),
  snrDb: uniformIn(random, 12, 20),
  interferenceRate: 0.03,
  jitterMs: uniformIn(random, 3, 5),
  lossRate: uniformIn(random, 0.1, 0.25),
  burstPackets: uniformIn(random, 3, 6),
  surveySigmaM: uniformIn(random, 0.05, 0.08),
  surveyYawSigmaRad: uniformIn(random, 0.06, 0.12),
})

/** Any device: each trait of cheap hardware is present in some of them. */
const wildened = (usual: Impairments, random: Random): Impairments => {
  // All are drawn, whether they apply or not: one trait does not change another.
  const some = (share: number, present: number, otherwise: number): number =>
    random.uniform() < share ? present : otherwise
  const lowScale = uniformIn(random, 0.05, 0.3)
  return {
    ...usual,
    gainFollowsDb: some(0.4, uniformIn(random, 0.5, 3), 0),
    gainStepDb: some(0.3, uniformIn(random, 3, 6), usual.gainStepDb),
    chainGainSigmaDb: some(0.6, uniformIn(random, 0.5, 3), 0),
    fullScale: [lowScale, uniformIn(random, lowScale, 1)],
    snrDb: uniformIn(random, 12, 40),
    interferenceRate: some(0.4, uniformIn(random, 0.02, 0.15), usual.interferenceRate),
    interferenceBand: some(0.5, uniformIn(random, 0.1, 0.5), 1),
    jitterMs: uniformIn(random, 0, 10),
    lossRate: some(0.3, uniformIn(random, 0.2, 0.6), usual.lossRate),
    burstPackets: some(0.3, uniformIn(random, 4, 30), usual.burstPackets),
    gapsPerMinute: some(0.3, uniformIn(random, 0.5, 6), 0),
    gapSeconds: uniformIn(random, 0.2, 2),
  }
}

/** Impairments of a level, with or without calibrated antennas. */
export const drawLevel = (
  random: Random,
  level: ImpairmentLevel,
  antennasCalibrated: boolean,
): Impairments => {
  if (level === "none") return unimpaired
  const usual = drawImpairments(random)
  const drawn = level === "heavy" ? worsened(usual, random) : level === "wild" ? wildened(usual, random) : usual
  return { ...drawn, antennasCalibrated, ...(antennasCalibrated ? { pllStates: 1 } : {}) }
}
