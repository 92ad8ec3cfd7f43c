/**
 * Intrusion: somebody in a watched zone, or anybody while the place is armed.
 *
 * Owns the decision of one place of watch, be it a zone or the whole environment. Invariants: an intrusion begins after
 * `onS` of evidence and ends after `offS` without any, so that one visit is one intrusion, also when the signal loses the person
 * for a moment. Where the signal does not say, the intrusion is as it was, for `unknownS` at most.
 */
import { createLatch } from "./hysteresis.ts"

export interface Intrusion {
  readonly sinceS: number
  /** Persons who are seen there now; 0 where presence alone tells. */
  readonly persons: number
  readonly confidence: number
}

/** Somebody is there now, how many are seen, and how sure that is; or nobody; or the signal does not say. */
export type Evidence = { readonly persons: number; readonly confidence: number } | "nobody" | "unknown"

export interface IntrusionWatch {
  readonly step: (timeS: number, evidence: Evidence) => Intrusion | null
  /** When the intrusion that ended last ended; null before. */
  readonly endedS: () => number | null
}

const onS = 1
const offS = 10
/** How long an intrusion is held while nobody can say whether it goes on: 30 minutes. */
const unknownS = 1800
/** An intrusion that lasts is serious. */
const criticalS = 120

/** @param open an intrusion is under way already. */
export const createIntrusionWatch = (open: { readonly sinceS: number } | null = null): IntrusionWatch => {
  const latch = createLatch({ onS, offS }, open !== null)
  let sinceS = open?.sinceS ?? 0
  let endedS: number | null = null
  let confidence = 0
  let knownS: number | null = null
  return {
    endedS: () => endedS,
    step: (timeS, evidence) => {
      knownS = evidence === "unknown" ? knownS ?? timeS : timeS
      const holds = evidence === "unknown" && timeS - knownS <= unknownS
        ? latch.read().on
        : typeof evidence === "object"
      const { on, sinceS: atS, turned } = latch.step(timeS, holds)
      if (turned && on) {
        sinceS = atS ?? timeS
        confidence = 0
      }
      if (turned && !on) endedS = atS
      if (!on) return null
      if (typeof evidence !== "object") return { sinceS, persons: 0, confidence }
      confidence = Math.max(confidence, evidence.confidence)
      return { sinceS, persons: evidence.persons, confidence }
    },
  }
}

export const intrusionSeverity = (lastedS: number): "high" | "critical" => lastedS < criticalS ? "high" : "critical"
