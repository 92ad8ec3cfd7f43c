/**
 * Conditions, which hold over time and are worth an incident, and instant events, which happen at one time.
 *
 * Boundary: the watches of this folder report both; the owner of the incidents decides on alerts.
 */
import type { Place } from "../imaging/geometry.ts"
import type { ActivityLabel } from "./sample.ts"
import type { Zone } from "./zones.ts"

export const conditionTypes = ["fall_detection", "inactivity", "intrusion"] as const
export type ConditionType = (typeof conditionTypes)[number]

/** In ascending order. */
export const severities = ["low", "medium", "high", "critical"] as const
type Severity = (typeof severities)[number]

/** A condition at one time. It is reported with every hop while it holds. */
export interface Condition {
  /** Constant while the condition lasts: its type, and the person or the zone. */
  readonly key: string
  readonly type: ConditionType
  /** Id of the track under which the person was first detected; null where no person is located. */
  readonly personId: number | null
  readonly zone: Zone | null
  /** Start, event time. */
  readonly sinceS: number
  readonly severity: Severity
  readonly confidence: number
  readonly place: Place | null
  /** Confident enough for an alert; otherwise it is only recorded. */
  readonly alerts: boolean
  /** Maximum downward velocity of a fall; null for other types, and where it was not measured. */
  readonly impactMps: number | null
  /** Number of persons of an intrusion; null for other types, and where only presence is known. */
  readonly persons: number | null
}

/** The end of a condition: the person is up or moves again; has left; was not observed for too long; or is no longer watched. */
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

/** An event without a duration. */
export type InstantEvent =
  | OfPerson & { readonly type: "activity_change"; readonly from: ActivityLabel; readonly to: ActivityLabel }
  | OfPerson & { readonly type: "zone_entered"; readonly zone: Zone }
  | OfPerson & { readonly type: "zone_left"; readonly zone: Zone; readonly dwellS: number }
