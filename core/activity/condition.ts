/**
 * Conditions: what is the case now and worth an incident. And happenings: what took place at a moment.
 *
 * Boundary: the watchers of this folder say both; whether and when somebody is told is decided by whoever keeps the incidents.
 */
import type { ActivityLabel, Place } from "./sample.ts"
import type { Zone } from "./zones.ts"

export const conditionTypes = ["fall_detection", "inactivity", "intrusion"] as const
export type ConditionType = (typeof conditionTypes)[number]

/** From the least serious to the most. */
export const severities = ["low", "medium", "high", "critical"] as const
export type Severity = (typeof severities)[number]

/** Something that holds at a moment. Told again with every hop for as long as it holds. */
export interface Condition {
  /** The same for as long as it is the same matter: its type, and the person or the zone. */
  readonly key: string
  readonly type: ConditionType
  /** Id of the track under which the person was first seen; null where nobody is located. */
  readonly personId: number | null
  readonly zone: Zone | null
  /** When it began, event time. */
  readonly sinceS: number
  readonly severity: Severity
  readonly confidence: number
  readonly place: Place | null
  /** Sure enough to alert somebody; else it is only recorded. */
  readonly alerts: boolean
  /** Greatest downward velocity of a fall; null for others, and where it was not measured. */
  readonly impactMps: number | null
  /** Persons of an intrusion; null for others. */
  readonly persons: number | null
}

/** How a condition ended: up or moving again; gone; not seen for too long; no longer watched. */
export const resolutions = ["recovered", "left", "expired", "stopped"] as const
export type Resolution = (typeof resolutions)[number]

export interface Ending {
  readonly resolution: Resolution
  readonly timeS: number
}

interface OfPerson {
  readonly personId: number
  readonly timeS: number
  readonly place: Place
  readonly confidence: number
}

export type Happening =
  | OfPerson & { readonly type: "activity_change"; readonly from: ActivityLabel; readonly to: ActivityLabel }
  | OfPerson & { readonly type: "zone_entered"; readonly zone: Zone }
  | OfPerson & { readonly type: "zone_left"; readonly zone: Zone; readonly dwellS: number }
