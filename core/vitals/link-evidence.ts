/**
 * Link evidence: what one link's statistics indicate about motion in the room.
 *
 * The motion statistic in standard deviations of its own noise floor indicates motion, so no threshold depends on the
 * room, the receiver or the packet rate. Far below 0 it also indicates motion: packets that regularly differ from the
 * previous one are the mark of a line beyond half the packet rate, which no body produces. The slow statistic indicates
 * whether a body is among the motion. With L links the best of L noises is compared, so a threshold of s sigma becomes
 * sqrt(s^2 + 2 ln L), and the false alarm rate stays that of one link.
 *
 * Limits: an oscillating fan, curtains in its wind and an animal look like a person, and so does a fan whose line
 * aliases to below 0.7 Hz when packets are strictly periodic.
 */
import type { LinkObservation } from "../observation/observation.ts"

/** Threshold at which motion begins, and at which it continues. */
export const enterSigmas = 4
export const staySigmas = 3
/**
 * For a body, the slow statistic must exceed its own noise by this much; for a machine, it must be this far below a
 * body's.
 */
const slowSigmas = 4
/**
 * Ratio of the slow statistic to the motion statistic. The slowest ceiling fan, 0.8 Hz, leaks 1.5 % into the slow band,
 * and up to 4 % where it is strong; walking persons had 8 to 34 %, and persons who lay and breathed 28 to 71 %.
 */
const bodyShareMin = 0.05
const machineShareMax = 0.1
/**
 * Breathing confidence that indicates a body below the thresholds: a line twice as strong as the weakest that is
 * reported.
 */
const breathMin = 0.8
/** Middle between the two sides of a calibration. */
const occupiedMin = 0.5

/** Source of the motion: none, a body, only a machine, or either of them. */
type Verdict = "none" | "body" | "machine" | "either"

/** The retained part of a link's last observation. */
export interface LinkEvidence {
  readonly hop: number
  /** Mean number of hops between its observations. */
  readonly gapHops: number
  readonly packetRateHz: number
  /** Motion statistic over its noise floor; null while there are too few packets. */
  readonly sigmas: number | null
  /** Whether the absence of motion is meaningful: the window has its full length. */
  readonly whole: boolean
  /** Source of the motion, if there is any. */
  readonly mover: Exclude<Verdict, "none">
  readonly dynamicPower: number | null
  /** Confidence of the link's breathing rate; 0 without one. */
  readonly breath: number
  /** After a calibration of both sides, the static response is as in the occupied room. */
  readonly occupied: boolean
}

const gapWeight = 0.1

/** The evidence of an observation that follows `before` on the same link. */
export const evidenceOf = (
  hop: number,
  packetRateHz: number,
  link: LinkObservation,
  before: LinkEvidence | undefined,
): LinkEvidence => {
  const { motionStatistic, motionStatisticSigma } = link
  return {
    hop,
    gapHops: before === undefined ? 1 : before.gapHops + gapWeight * (hop - before.hop - before.gapHops),
    packetRateHz,
    sigmas: motionStatistic === null || !(motionStatisticSigma > 0) ? null : motionStatistic / motionStatisticSigma,
    whole: link.windowWhole,
    mover: moverOf(link),
    dynamicPower: link.dynamicPower,
    breath: link.vitals.breathingConfidence,
    occupied: link.occupancy !== null && link.occupancy >= occupiedMin,
  }
}

const moverOf = ({ motionStatistic, slowStatistic, slowStatisticSigma }: LinkObservation): LinkEvidence["mover"] => {
  if (motionStatistic !== null && motionStatistic < 0) return "machine"
  if (motionStatistic === null || slowStatistic === null) return "either"
  const margin = slowSigmas * slowStatisticSigma
  if (slowStatistic >= Math.max(margin, bodyShareMin * motionStatistic)) return "body"
  return slowStatistic + margin < machineShareMax * motionStatistic ? "machine" : "either"
}

/** Threshold for the best of several links with the false alarm rate of one link at `sigmas`. */
export const thresholdOf = (sigmas: number, links: number): number => Math.sqrt(sigmas * sigmas + 2 * Math.log(links))

/** Source of the motion on one of `links` links, at a threshold. Null while there are too few packets. */
export const verdictOf = ({ breath, mover, sigmas }: LinkEvidence, links: number, atSigmas: number): Verdict | null => {
  if (breath >= breathMin && mover === "body") return "body"
  if (sigmas === null) return null
  return Math.abs(sigmas) >= thresholdOf(atSigmas, links) ? mover : "none"
}
