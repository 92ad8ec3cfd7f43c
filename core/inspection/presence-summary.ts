/**
 * Presence over a whole capture, from the decisions of its hops.
 *
 * The rule: a person is present if at least half of the decided hops say so. The confidence is that of the
 * hops that agree, times their share. So a visit of some seconds leaves a long capture empty, with less confidence and with
 * its share of the time. Where something moved for longer than there was an answer, which is what a machine does, there is none for
 * the whole either: the few hops that had one are not what the capture shows.
 */
import type { PresenceReading } from "../vitals/presence.ts"

export interface PresenceSummary {
  /** Null when no hop has an answer, or most that moved have none; `reason` tells why. */
  readonly present: boolean | null
  readonly confidence: number
  readonly reason: string | null
  /** Share of the decided hops with a person present; null without a decision. */
  readonly share: number | null
  /** Mean of `motion` over the answered hops; null without one. */
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

  /** Takes a reading that holds for so many hops. */
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

/** Reasons with figures in them are many; the first ones stand for them. */
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
