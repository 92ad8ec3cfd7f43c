/**
 * Presence over a whole capture, from the decisions of its hops.
 *
 * A person is present if at least half of the decided hops have one. The confidence is the mean confidence of the hops that agree, times
 * their share of the decided hops. So a capture with a visit of some seconds counts as empty, with a lower confidence, and `share` states
 * the part of the decided time with a person. If the undecided hops with motion (a machine causes such hops) are as many as the decided
 * ones or more, there is no decision for the capture: the few decided hops do not represent it.
 */
import type { PresenceReading } from "../vitals/presence.ts"

export interface PresenceSummary {
  /**
   * Null when no hop is decided, when undecided hops with motion are at least as many, or when nobody was found but a breath was measured;
   * `reason` states why.
   */
  readonly present: boolean | null
  readonly confidence: number
  readonly reason: string | null
  /** Share of the decided hops with a person present; null without a decision. */
  readonly share: number | null
  /** Mean of `motion` over the hops that have a value; null without one. */
  readonly motion: number | null
  /** Share of all hops that have an answer. */
  readonly answered: number
}

/** Gathers the readings of a capture. */
export class PresenceTally {
  #hops = 0
  #present = 0
  #absent = 0
  /** Hops in which something moved and there was no answer. */
  #undecided = 0
  /** Sums of the confidence. */
  #presentConfidence = 0
  #absentConfidence = 0
  #motion = 0
  #moving = 0
  /** Why hops have no answer: those in which something moved, and the others. */
  readonly #undecidedReasons = new Map<string, number>()
  readonly #reasons = new Map<string, number>()

  /** Adds a reading that holds for `hops` hops. */
  add({ motion, presence }: PresenceReading, hops = 1): void {
    this.#hops += hops
    if (motion !== null) {
      this.#motion += motion * hops
      this.#moving += hops
    }
    if (presence.present === null) {
      const undecided = motion !== null && motion > 0
      if (undecided) this.#undecided += hops
      return addReason(undecided ? this.#undecidedReasons : this.#reasons, presence.reason, hops)
    }
    if (presence.present) {
      this.#present += hops
      this.#presentConfidence += presence.confidence * hops
    } else {
      this.#absent += hops
      this.#absentConfidence += presence.confidence * hops
    }
  }

  read(): PresenceSummary {
    const answered = this.#present + this.#absent
    const motion = this.#moving === 0 ? null : this.#motion / this.#moving
    if (answered <= this.#undecided) {
      const share = answered === 0 ? null : this.#present / answered
      const reason = commonest(this.#undecided > 0 ? this.#undecidedReasons : this.#reasons)
      return { present: null, confidence: 0, reason, share, motion, answered: answered / Math.max(1, this.#hops) }
    }
    const present = this.#present >= this.#absent
    return {
      present,
      confidence: (present ? this.#presentConfidence : this.#absentConfidence) / answered,
      reason: null,
      share: this.#present / answered,
      motion,
      answered: answered / this.#hops,
    }
  }
}

const breathWithoutPresence =
  "a breath is measured, which takes 30 s or more, although most decisions are that nobody is there"

/**
 * The summary with what a breath says: it contradicts that nobody is there.
 *
 * @param rateBpm of the capture; null without a breath
 */
export const withBreath = (summary: PresenceSummary, rateBpm: number | null): PresenceSummary =>
  summary.present === false && rateBpm !== null
    ? { ...summary, present: null, confidence: 0, reason: breathWithoutPresence }
    : summary

/** Bounds the memory: reasons that contain numbers differ from hop to hop. Further ones are not counted. */
const reasonsMax = 64

const addReason = (reasons: Map<string, number>, given: string | null, hops: number): void => {
  const reason = given ?? "the signal does not say"
  const known = reasons.get(reason)
  if (known !== undefined || reasons.size < reasonsMax) reasons.set(reason, (known ?? 0) + hops)
}

const commonest = (reasons: ReadonlyMap<string, number>): string => {
  const none = ["the capture is shorter than a hop of 100 ms", 0] as const
  return [...reasons].reduce<readonly [string, number]>((best, entry) => entry[1] > best[1] ? entry : best, none)[0]
}
