/**
 * Link evidence: what one link's statistics indicate about motion in the room.
 *
 * The motion statistic in standard deviations of its own noise floor indicates that something changes, at any packet
 * rate. Far below 0 it also indicates a change: packets that regularly differ from the previous one are the mark of a
 * line beyond half the packet rate, which no body produces. The slow statistic indicates whether a body may be among
 * the motion. With L links the best of L noises is compared, so a threshold of s sigma becomes sqrt(s^2 + 2 ln L), and
 * the false alarm rate stays that of one link.
 *
 * Significance alone does not indicate a person: receivers drift, and neighbours disturb. So the echo level
 * (`echo-level.ts`) must also exceed the noise of the site (`site-noise.ts`).
 *
 * Limits: an oscillating fan, curtains in its wind and an animal look like a person, and so does a fan whose line
 * aliases to below 0.7 Hz when packets are strictly periodic.
 */
import type { LinkObservation } from "../observation/observation.ts"
import type { LinkVitals } from "./best-vitals.ts"
import { echoLevelOf, EchoPowerWindow, type PowerMemory } from "./echo-level.ts"
import { type NoiseMemory, SiteNoise } from "./site-noise.ts"

/** Threshold at which motion is significant. */
const motionSigmas = 4
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
/** The same while the window is filled: over 2.4 s the line of 0.8 Hz leaks 5 %. */
const earlyBodyShareMin = 0.08
const machineShareMax = 0.1
/**
 * Breathing confidence that indicates a body below the thresholds: a line twice as strong as the weakest that is
 * reported.
 */
const breathMin = 0.8
/** Motion statistic from which most changes are correlated; empty rooms had up to 0.38, activity from 0.3 to 0.9. */
const correlatedMin = 0.4
/** Motion statistic below which a machine beyond half the packet rate is assumed; receivers of empty rooms had down to -0.05. */
const aliasedMax = -0.1
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
  /** Echo level over the link's own threshold for a body, in decades. */
  readonly excess: number
  /** Whether most changes are correlated from packet to packet: they are motion or drift, and not noise. */
  readonly correlated: boolean
  readonly dynamicPower: number | null
  /** Confidence of the link's breathing rate; 0 without one. */
  readonly breath: number
  /** After a calibration of both sides, the static response is as in the occupied room. */
  readonly occupied: boolean
}

const gapWeight = 0.1

/** What is known of a link, which another follower continues from. */
export interface LinkMemory {
  readonly power: PowerMemory
  readonly noise: NoiseMemory
  readonly evidence: LinkEvidence | null
}

/** Follows one link. */
export class LinkFollower {
  readonly #power = new EchoPowerWindow()
  readonly #noise: SiteNoise
  readonly #entry: number
  #evidence: LinkEvidence | null = null
  #vitals: LinkVitals | null = null

  /**
   * @param entry threshold of the echo level in decades until the noise of the site is learned, and the lowest while the window
   *   is filled: the first seconds of a receiver are often disturbed
   */
  constructor(entry: number) {
    this.#noise = new SiteNoise(entry)
    this.#entry = entry
  }

  /** The evidence of the last observation; null before the first. */
  get evidence(): LinkEvidence | null {
    return this.#evidence
  }

  /** The vital signs of the last observation; null before the first, and of a memory. */
  get vitals(): LinkVitals | null {
    return this.#vitals
  }

  get memory(): LinkMemory {
    return { power: this.#power.memory, noise: this.#noise.memory, evidence: this.#evidence }
  }

  /** Continues from what another follower knows. */
  recall({ evidence, noise, power }: LinkMemory): void {
    this.#power.recall(power)
    this.#noise.recall(noise)
    this.#evidence = evidence
  }

  /** Adds an observation of this link. Hops must not decrease. */
  add(hop: number, packetRateHz: number, link: LinkObservation): void {
    const { dynamicPower, motionStatistic, motionStatisticSigma, packets, vitals } = link
    const before = this.#evidence !== null && isFresh(this.#evidence, hop) ? this.#evidence : null
    if (dynamicPower !== null) this.#power.add(hop, dynamicPower)
    const level = echoLevelOf(this.#power.mean(hop), motionStatistic ?? 0)
    if (motionStatistic !== null) this.#noise.add(hop, level, link.calibratedAtUs)
    this.#vitals = { packets, vitals }
    this.#evidence = {
      hop,
      gapHops: before === null ? 1 : before.gapHops + gapWeight * (hop - before.hop - before.gapHops),
      packetRateHz,
      sigmas: motionStatistic === null || !(motionStatisticSigma > 0) ? null : motionStatistic / motionStatisticSigma,
      whole: link.windowWhole,
      mover: moverOf(link),
      excess: level - (link.windowWhole ? this.#noise.entry : Math.max(this.#noise.entry, this.#entry)),
      correlated: motionStatistic !== null && motionStatistic >= correlatedMin,
      dynamicPower,
      breath: vitals.breathingConfidence,
      occupied: link.occupancy !== null && link.occupancy >= occupiedMin,
    }
  }
}

/** Age at which evidence expires; for a link with few packets, ten of its intervals, at most 30 s. */
const freshHopsMin = 20
const freshHopsMax = 300
const freshIntervals = 10

export const isFresh = (link: LinkEvidence, hop: number): boolean =>
  hop - link.hop <= Math.max(freshHopsMin, Math.min(freshHopsMax, freshIntervals * link.gapHops))

const moverOf = (link: LinkObservation): LinkEvidence["mover"] => {
  const { motionStatistic, slowStatistic, slowStatisticSigma, windowWhole } = link
  if (motionStatistic !== null && motionStatistic < 0) return motionStatistic <= aliasedMax ? "machine" : "either"
  if (motionStatistic === null || slowStatistic === null) return "either"
  const margin = slowSigmas * slowStatisticSigma
  const shareMin = windowWhole ? bodyShareMin : earlyBodyShareMin
  if (slowStatistic >= Math.max(margin, shareMin * motionStatistic)) return "body"
  return slowStatistic + margin < machineShareMax * motionStatistic ? "machine" : "either"
}

/** Threshold for the best of several links with the false alarm rate of one link at `sigmas`. */
const thresholdOf = (sigmas: number, links: number): number => Math.sqrt(sigmas * sigmas + 2 * Math.log(links))

/** Source of the motion on one of `links` links. Null while there are too few packets. */
export const verdictOf = ({ mover, sigmas }: LinkEvidence, links: number): Verdict | null => {
  if (sigmas === null) return null
  return Math.abs(sigmas) >= thresholdOf(motionSigmas, links) ? mover : "none"
}

/** Whether the link measures a breath that indicates a body by itself. */
export const breathes = ({ breath, mover }: Pick<LinkEvidence, "breath" | "mover">): boolean =>
  breath >= breathMin && mover === "body"
