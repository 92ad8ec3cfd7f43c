/**
 * Presence where persons can be located: what the links' statistics say, beside who is located.
 *
 * A link shows a pet as it shows a person; the matched field does not take it for one. So whoever is located is there, and what moves and
 * is nobody for a while may be a pet, or somebody whom too few links see: no answer. A breath that is heard keeps its word, as do
 * links that locate nobody at all. Boundary: the statistics' own decision is `presence.ts`.
 */
import type { Presence } from "./presence.ts"

/** What location says of a hop. */
export interface Located {
  /** Whether the links suffice to locate anybody. */
  readonly able: boolean
  /** Confidences of the persons that are located. */
  readonly confidences: ReadonlyArray<number>
  readonly breathHeard: boolean
}

export interface LocatedPresence {
  /** Call it once a hop, with ascending hops. */
  readonly step: (hop: number, presence: Presence, located: Located) => Presence
}

/** Somebody who was located is believed for as long as presence lasts without evidence: two of the slowest breaths. */
const holdHops = 200

const nobodyLocated: Presence = {
  present: null,
  confidence: 0,
  reason: "something moves like a body, but nobody is located: it may be a pet, or somebody whom too few links see",
}

export const createLocatedPresence = (): LocatedPresence => {
  let locatedHop = -Infinity
  return {
    step: (hop, presence, { able, breathHeard, confidences }) => {
      if (confidences.length > 0) {
        locatedHop = hop
        const confidence = Math.max(presence.present === true ? presence.confidence : 0, ...confidences)
        return { present: true, confidence, reason: null }
      }
      const isBelieved = !able || breathHeard || hop - locatedHop <= holdHops
      return presence.present !== true || isBelieved ? presence : nobodyLocated
    },
  }
}
