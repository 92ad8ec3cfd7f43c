/** The condition of an intrusion at a watched place. Pure except for the state of the place's watch. */
import type { Place } from "../imaging/geometry.ts"
import type { Condition } from "./condition.ts"
import { type Evidence, intrusionSeverity, type IntrusionWatch } from "./intrusion.ts"
import type { WatchedPlace } from "./watched-conditions.ts"

/** The persons at a watched place: the evidence, and the first of them who is located. */
export interface Intruders {
  readonly evidence: Evidence
  readonly first: { readonly personId: number | null; readonly place: Place } | null
}

/** The condition at this time; null while there is none. */
export const intrusionOf = (
  { key, zone }: WatchedPlace,
  watch: IntrusionWatch,
  timeS: number,
  { evidence, first }: Intruders,
): Condition | null => {
  const intrusion = watch.step(timeS, evidence)
  return intrusion === null ? null : {
    key,
    type: "intrusion",
    personId: first?.personId ?? null,
    zone,
    sinceS: intrusion.sinceS,
    severity: intrusionSeverity(timeS - intrusion.sinceS),
    confidence: intrusion.confidence,
    place: first?.place ?? null,
    alerts: true,
    impactMps: null,
    persons: intrusion.persons,
  }
}
