/**
 * Presence and vital signs where persons can be located: combines the links' statistics with the located persons.
 *
 * A link cannot tell a pet from a person, but the matched field does not locate a pet. So a located person is present,
 * and motion without a located person may after a while be a pet, or a person whom too few links sense: presence is
 * then unknown, at once if everybody has walked out. The links' decision stands where a breath is measured or no link
 * can locate. An oscillating fan looks like a breath, so beside a machine a breath counts only if a person was located,
 * also where nobody can be.
 * Boundary: `presence.ts` decides by the statistics alone.
 */
import type { Vitals } from "../observation/vitals.ts"
import type { Presence, PresenceReading } from "./presence.ts"

/** The located persons of a hop. */
export interface Located {
  /** Whether the links suffice to locate a person. */
  readonly able: boolean
  /** Confidences of the located persons. */
  readonly confidences: ReadonlyArray<number>
  /** Whether everybody who was located has walked out of the room. */
  readonly everyoneLeft: boolean
}

/** The links' readings of a hop. */
export type LinksReading = Pick<PresenceReading, "presence" | "machine" | "vitals">

interface LocatedPresence {
  /** Hop of the last located person; -Infinity before the first. Another one continues from it. */
  readonly locatedHop: () => number

  /** Call it once per hop, with ascending hops. */
  readonly step: (
    hop: number,
    links: LinksReading,
    located: Located,
  ) => { readonly presence: Presence; readonly vitals: Vitals }
}

/** A located person counts as present for as long as presence lasts without evidence: two breaths at 6/min. */
const holdHops = 200

const noneLocated: Presence = {
  present: null,
  confidence: 0,
  reason:
    "something moves like a body, but no person is located: it may be a pet, a machine, or a person whom too few links sense",
}

const machineBreath =
  "a period like that of a breath is measured, but a machine runs and no person is located: it may be an oscillating fan"

/** Vital signs without the rates that a machine may cause. */
export const withoutRates = (vitals: Vitals): Vitals =>
  vitals.breathingRateBpm === null ? vitals : {
    breathingRateBpm: null,
    breathingConfidence: 0,
    breathingReason: machineBreath,
    heartRateBpm: null,
    heartReason: machineBreath,
  }

/** @param since hop of the last located person */
export const createLocatedPresence = (since = -Infinity): LocatedPresence => {
  let locatedHop = since
  return {
    locatedHop: () => locatedHop,
    step: (hop, { machine, presence, vitals }, { able, confidences, everyoneLeft }) => {
      if (confidences.length > 0) {
        locatedHop = hop
        const confidence = Math.max(presence.present === true ? presence.confidence : 0, ...confidences)
        return { presence: { present: true, confidence, reason: null }, vitals }
      }
      if (!everyoneLeft && hop - locatedHop <= holdHops) return { presence, vitals }
      const believed = machine ? withoutRates(vitals) : vitals
      const isBelieved = !able || presence.present !== true || believed.breathingRateBpm !== null
      return { presence: isBelieved ? presence : noneLocated, vitals: believed }
    },
  }
}
