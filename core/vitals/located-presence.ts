/**
 * Presence and vital signs where persons can be located: what the links' statistics say, beside who is located.
 *
 * A link shows a pet as it shows a person; the matched field does not take it for one. So whoever is located is there, and what moves and
 * is nobody for a while may be a pet, or somebody whom too few links see: no answer. A breath that is heard keeps its word, as do
 * links that locate nobody at all; but a fan whose head swings sounds like a breath, so beside a machine a breath is that of somebody
 * who was located, or nobody's. Boundary: the statistics' own decision is `presence.ts`.
 */
import type { Vitals } from "../observation/vitals.ts"
import type { Presence, PresenceReading } from "./presence.ts"

/** What location says of a hop. */
export interface Located {
  /** Whether the links suffice to locate anybody. */
  readonly able: boolean
  /** Confidences of the persons that are located. */
  readonly confidences: ReadonlyArray<number>
}

/** What the links say of a hop. */
export interface Heard extends Pick<PresenceReading, "presence" | "machine"> {
  readonly vitals: Vitals
}

export interface LocatedPresence {
  /** Call it once a hop, with ascending hops. */
  readonly step: (
    hop: number,
    heard: Heard,
    located: Located,
  ) => { readonly presence: Presence; readonly vitals: Vitals }
}

/** Somebody who was located is believed for as long as presence lasts without evidence: two of the slowest breaths. */
const holdHops = 200

const nobodyLocated: Presence = {
  present: null,
  confidence: 0,
  reason:
    "something moves like a body, but nobody is located: it may be a pet, a machine, or somebody whom too few links see",
}

const machineBreath =
  "a period such as a breath's is heard, but a machine runs and nobody is located: it may be a fan that swings"

/** Vital signs without those that may be a machine's. */
const withoutRates = (vitals: Vitals): Vitals =>
  vitals.breathingRateBpm === null ? vitals : {
    breathingRateBpm: null,
    breathingConfidence: 0,
    breathingReason: machineBreath,
    heartRateBpm: null,
    heartReason: machineBreath,
  }

export const createLocatedPresence = (): LocatedPresence => {
  let locatedHop = -Infinity
  return {
    step: (hop, { machine, presence, vitals }, { able, confidences }) => {
      if (confidences.length > 0) {
        locatedHop = hop
        const confidence = Math.max(presence.present === true ? presence.confidence : 0, ...confidences)
        return { presence: { present: true, confidence, reason: null }, vitals }
      }
      if (!able || hop - locatedHop <= holdHops) return { presence, vitals }
      const believed = machine ? withoutRates(vitals) : vitals
      const isBelieved = presence.present !== true || believed.breathingRateBpm !== null
      return { presence: isBelieved ? presence : nobodyLocated, vitals: believed }
    },
  }
}
