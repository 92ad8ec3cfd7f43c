/**
 * Impairments: the errors that hardware, air and people add between the true channel and the data of a service, as data.
 *
 * Owns the list of impairments, an ideal set, and random sets within the ranges of real devices. The ranges bracket published
 * models of device differences (gain control and tone ripple dominate) and are otherwise our own choice. Boundary: each impairment
 * is applied in its own file beside this one.
 */
import { type Random, uniformIn } from "../randomness/random.ts"

export interface Impairments {
  /** Standard deviation of the packet detection delay, clamped at 200 ns. The carrier phase is always uniform. */
  readonly timingSigmaNs: number
  /** Largest error of a node's oscillator, in both directions. */
  readonly oscillatorPpm: number
  /** Number of phases to which the synthesiser of a receive chain may lock at boot: 1, 2 (half turns) or 4 (quarter turns). */
  readonly pllStates: 1 | 2 | 4
  /** Whether antenna phases are calibrated; otherwise they are uniform at each boot. */
  readonly antennasCalibrated: boolean
  /** Standard deviation of the residual phase of each antenna after calibration. */
  readonly antennaPhaseSigmaRad: number
  /** Standard deviation of the gain of each receive chain, constant from boot to boot. */
  readonly chainGainSigmaDb: number
  /** Standard deviation of the gain from packet to packet. */
  readonly gainJitterDb: number
  /** Largest step of the automatic gain control, and the mean time between steps. */
  readonly gainStepDb: number
  readonly gainStepSeconds: number
  /** Range of the peak of a frame under gain control, as fractions of the converter's full scale. */
  readonly fullScale: readonly [low: number, high: number]
  /** Step by which the gain control follows the received level, which hides changes of the level; 0: it does not follow. */
  readonly gainFollowsDb: number
  /** Mismatch of the in-phase and quadrature branches. */
  readonly iqGainDb: number
  readonly iqPhaseRad: number
  /** Peak of the smooth ripple of the receive filter over the band. */
  readonly rippleDb: number
  readonly rippleRad: number
  /** Power of a link's empty response over the noise, per tone. */
  readonly snrDb: number
  /** Share of the packets with interference, and the loss of SNR by it. */
  readonly interferenceRate: number
  readonly interferenceDb: number
  /** Share of the band that interference hits, at a random place; 1: the whole band. */
  readonly interferenceBand: number
  /** Mean wait for the channel. */
  readonly jitterMs: number
  /** Share of lost packets, and the mean length of a burst of losses. */
  readonly lossRate: number
  readonly burstPackets: number
  /** Pauses per minute in which a router receives nothing, and their mean length. */
  readonly gapsPerMinute: number
  readonly gapSeconds: number
  /** Standard deviation of a node's clock offset, and the largest drift of its time stamps. */
  readonly clockOffsetMs: number
  readonly clockDriftPpm: number
  /** Standard deviations of the survey of nodes: each coordinate, and the direction of the array on the floor plan. */
  readonly surveySigmaM: number
  readonly surveyYawSigmaRad: number
}

/** Ideal hardware except for int8 conversion: 60 dB of SNR. */
export const unimpaired: Impairments = {
  timingSigmaNs: 0,
  oscillatorPpm: 0,
  pllStates: 1,
  antennasCalibrated: true,
  antennaPhaseSigmaRad: 0,
  chainGainSigmaDb: 0,
  gainJitterDb: 0,
  gainStepDb: 0,
  gainStepSeconds: 60,
  fullScale: [0.7, 0.7],
  gainFollowsDb: 0,
  iqGainDb: 0,
  iqPhaseRad: 0,
  rippleDb: 0,
  rippleRad: 0,
  snrDb: 60,
  interferenceRate: 0,
  interferenceDb: 0,
  interferenceBand: 1,
  jitterMs: 0,
  lossRate: 0,
  burstPackets: 1,
  gapsPerMinute: 0,
  gapSeconds: 1,
  clockOffsetMs: 0,
  clockDriftPpm: 0,
  surveySigmaM: 0,
  surveyYawSigmaRad: 0,
}

const radians = Math.PI / 180

/** A random site's impairments, each within the range of real devices. */
export const drawImpairments = (random: Random): Impairments => ({
  ...unimpaired,
  timingSigmaNs: uniformIn(random, 30, 60),
  oscillatorPpm: 20,
  pllStates: ([1, 2, 4] as const)[Math.floor(3 * random.uniform())]!,
  antennasCalibrated: random.uniform() < 0.5,
  antennaPhaseSigmaRad: uniformIn(random, 0, 0.2),
  gainJitterDb: uniformIn(random, 0, 0.3),
  gainStepDb: uniformIn(random, 0.5, 3),
  gainStepSeconds: Math.exp(uniformIn(random, 0, Math.log(60))),
  fullScale: [0.3, 1],
  iqGainDb: uniformIn(random, 0.3, 1.5),
  iqPhaseRad: uniformIn(random, 1, 5) * radians,
  rippleDb: uniformIn(random, 0.2, 1),
  rippleRad: uniformIn(random, 0.05, 0.2),
  snrDb: uniformIn(random, 15, 35),
  interferenceRate: 0.01,
  interferenceDb: 15,
  jitterMs: uniformIn(random, 1, 5),
  lossRate: uniformIn(random, 0.01, 0.2),
  burstPackets: uniformIn(random, 1.5, 4),
  clockOffsetMs: uniformIn(random, 0, 5),
  clockDriftPpm: uniformIn(random, 0, 2),
  surveySigmaM: uniformIn(random, 0.02, 0.05),
  surveyYawSigmaRad: uniformIn(random, 0, 5) * radians,
})
