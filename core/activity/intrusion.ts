/**
 * Intrusion: a person in a watched zone, or anywhere while the environment is armed.
 *
 * Owns the decision for one watched place, a zone or the whole environment. Invariants: an intrusion begins after `onS`
 * of evidence and ends after `offS` without any, so that one visit is one intrusion, also when the signal loses the
 * person for a moment. While the signal is inconclusive, the intrusion keeps its state for at most `unknownS`. Evidence of
 * before an interruption neither begins nor ends one.
 */
import { createLatch } from "./hysteresis.ts"

interface Intrusion {
  readonly sinceS: number
  /** Persons located there now; null where only presence is known, and while the signal is inconclusive. */
  readonly persons: number | null
  readonly confidence: number
}

/** Persons located now, null where only presence is known, with the confidence; or none; or an inconclusive signal. */
export type Evidence = { readonly persons: number | null; readonly confidence: number } | "none" | "unknown"

export interface IntrusionWatch {
  readonly step: (timeS: number, evidence: Evidence) => Intrusion | null
  /** Forgets the evidence so far; an intrusion in progress continues. */
  readonly interrupt: () => void
  /** When the last intrusion ended; null before the first ending. */
  readonly endedS: () => number | null
}

const onS = 1
const offS = 10
/** Time that an intrusion is held with an inconclusive signal: 30 minutes. */
const unknownS = 1800
/** An intrusion of this length is critical. */
const criticalS = 120

/** @param open an intrusion in progress */
export const createIntrusionWatch = (open: { readonly sinceS: number } | null = null): IntrusionWatch => {
  const latch = createLatch({ onS, offS }, open !== null)
  let sinceS = open?.sinceS ?? 0
  let endedS: number | null = null
  let confidence = 0
  let knownS: number | null = null
  return {
    endedS: () => endedS,
    interrupt: latch.interrupt,
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
      if (typeof evidence !== "object") return { sinceS, persons: null, confidence }
      confidence = Math.max(confidence, evidence.confidence)
      return { sinceS, persons: evidence.persons, confidence }
    },
  }
}

export const intrusionSeverity = (lastedS: number): "high" | "critical" => lastedS < criticalS ? "high" : "critical"
