/**
 * Presence over a whole capture, from the decisions of its hops.
 *
 * The rule: of the hops in which the detector answers, somebody is present when at least half say so. The confidence is that of the
 * hops that agree, times their share. So a visit of some seconds leaves a long capture empty, with less confidence and with
 * its share of the time.
 */
import type { PresenceReading } from "../vitals/presence.ts"

export interface PresenceSummary {
  /** Null when no hop has an answer; `reason` tells why. */
  readonly present: boolean | null
  readonly confidence: number
  readonly reason: string | null
  /** Share of the answered hops in which somebody was present; null without one. */
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
  /** Sums of the confidence. */
  #presentConfidence = 0
  #absentConfidence = 0
  #motion = 0
  #moving = 0
  /** Why most of the hops without an answer have none. */
  readonly #reasons = new Map<string, number>()

  /** Takes a reading that holds for so many hops. */
  add({ motion, presence }: PresenceReading, hops = 1): void {
    this.#hops += hops
    if (motion !== null) {
      this.#motion += motion * hops
      this.#moving += hops
    }
    if (presence.present === null) return this.#addReason(presence.reason ?? "the signal does not say", hops)
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
    if (answered === 0) {
      return { present: null, confidence: 0, reason: this.#reason(), share: null, motion, answered: 0 }
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

  #addReason(reason: string, hops: number): void {
    const known = this.#reasons.get(reason)
    if (known !== undefined || this.#reasons.size < reasonsMax) this.#reasons.set(reason, (known ?? 0) + hops)
  }

  /** The commonest reason. */
  #reason(): string {
    const [reason] = [...this.#reasons].reduce((best, entry) => entry[1] > best[1] ? entry : best, [
      "the capture is shorter than a hop of 100 ms",
      0,
    ])
    return reason
  }
}

/** Reasons with figures in them are many; the first ones stand for them. */
const reasonsMax = 64
