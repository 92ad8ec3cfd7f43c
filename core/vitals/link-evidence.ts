/**
 * Link evidence: what one link's statistics say of who moves in the room.
 *
 * The motion statistic in standard deviations of its own noise floor says whether anything moves, so that no threshold depends on the
 * room, the receiver or the packet rate. Far below 0 something moves as well: packets that are regularly unlike the one before are
 * the mark of a line beyond half the packet rate, which no body makes. The slow statistic says whether a body is among what
 * moves. With L links the best of L noises is compared, so a threshold of s sigma becomes sqrt(s^2 + 2 ln L) and the false alarms
 * stay those of one.
 *
 * What it cannot tell: a fan whose head swings, curtains in its wind, or an animal, from a person; and on packets as regular as a
 * clock, a fan whose line folds to below 0.7 Hz.
 */
import type { LinkObservation } from "../observation/observation.ts"

/** Something moves; something goes on moving. */
export const enterSigmas = 4
export const staySigmas = 3
/** The slow statistic must be this far above its own noise for a body, and so far below a body's for a machine. */
const slowSigmas = 4
/**
 * Shares of the motion statistic that the slow one has. The slowest ceiling fan, 0.8 Hz, leaks 1.5 % into the slow band, and up to 4 %
 * where it is strong; who walked had 8 to 34 % there, and who lay and breathed 28 to 71 %.
 */
const bodyShareMin = 0.05
const machineShareMax = 0.1
/** Confidence of a breath that shows a body below the thresholds: a line twice as strong as the weakest that is reported. */
const breathMin = 0.8
/** Middle between the two sides of a calibration. */
const occupiedMin = 0.5

/** Who moves: nobody, a body, only a machine, or either of them. */
export type Verdict = "nobody" | "body" | "machine" | "either"

/** What is kept of a link's last observation. */
export interface LinkEvidence {
  readonly hop: number
  /** Mean number of hops between its observations. */
  readonly gapHops: number
  readonly packetRateHz: number
  /** Motion statistic over its noise floor; null while there are too few packets. */
  readonly sigmas: number | null
  /** Whether quiet means something: the window is as long as is wanted. */
  readonly whole: boolean
  /** Who moves, if anything does. */
  readonly mover: Exclude<Verdict, "nobody">
  readonly dynamicPower: number | null
  /** Confidence of the breath that the link hears; 0 when it hears none. */
  readonly breath: number
  /** The static response is as with somebody in the room, after a calibration on both sides. */
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

/** Threshold for the best of several links that has the false alarms of one link at `sigmas`. */
export const thresholdOf = (sigmas: number, links: number): number => Math.sqrt(sigmas * sigmas + 2 * Math.log(links))

/** Who moves on a link, of so many, at a threshold. Null while there are too few packets. */
export const verdictOf = ({ breath, mover, sigmas }: LinkEvidence, links: number, atSigmas: number): Verdict | null => {
  if (breath >= breathMin && mover === "body") return "body"
  if (sigmas === null) return null
  return Math.abs(sigmas) >= thresholdOf(atSigmas, links) ? mover : "nobody"
}
