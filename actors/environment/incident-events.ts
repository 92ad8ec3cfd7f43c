/**
 * The events of incidents: from a condition to the event that is recorded, and from a stored event back to its condition. Pure.
 */
import type { Condition } from "../../core/activity/condition.ts"
import { impactSeverity } from "../../core/activity/fall.ts"
import { type ActivityEvent, type EventDetail, intrudersOf } from "../../protocols/domain/event.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"

/** The environment of a hop's events, and what the hop was made from. */
export interface Origin {
  readonly environmentId: string
  readonly provenance: Provenance
}

/** Three decimals. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** The detail of a condition that has held until `untilS`. */
export const detailOf = (condition: Condition, untilS: number, recovered: boolean): EventDetail => {
  const lastedS = Math.round(Math.max(0, untilS - condition.sinceS) * 10) / 10
  const { impactMps, persons, type } = condition
  switch (type) {
    case "fall_detection":
      return {
        type,
        fallDurationS: lastedS,
        impactSeverity: impactSeverity(impactMps),
        impactMps,
        recoveryDetected: recovered,
      }
    case "inactivity":
      return { type: "inactivity_detection", inactiveS: lastedS, recoveryDetected: recovered }
    case "intrusion":
      return { type: "intrusion_detection", personCount: persons, durationS: lastedS }
  }
}

/** The event of a condition that has just begun to hold, before its first revision. */
export const beginEvent = (
  condition: Condition,
  eventId: string,
  { environmentId, provenance }: Origin,
): ActivityEvent => ({
  eventId,
  revision: 0,
  environmentId,
  severity: condition.severity,
  timestampMs: Math.round(condition.sinceS * 1000),
  revisedMs: 0,
  personId: condition.personId,
  confidence: rounded(condition.confidence),
  location: condition.place === null ? null : { x: rounded(condition.place.x), y: rounded(condition.place.y) },
  zone: condition.zone === null ? null : { zoneId: condition.zone.zoneId, name: condition.zone.name },
  detail: detailOf(condition, condition.sinceS, false),
  incident: {
    key: condition.key,
    status: "waiting",
    raisedMs: null,
    acknowledgedBy: null,
    acknowledgedMs: null,
    endedMs: null,
    resolution: null,
  },
  provenance,
})

/** A condition as its event states it: whether it is certain enough for an alert is for the settings to say. */
type StatedCondition = Omit<Condition, "alerts">

/** The condition of a stored event; null for an event that is not of an incident. */
export const conditionOf = (event: ActivityEvent): StatedCondition | null => {
  const { detail, incident, zone } = event
  if (incident === null) return null
  const common = {
    key: incident.key,
    personId: event.personId,
    zone: zone === null ? null : { ...zone, kind: "watched" as const, polygon: [] },
    sinceS: event.timestampMs / 1000,
    severity: event.severity,
    confidence: event.confidence,
    place: event.location,
    impactMps: null,
    persons: null,
  }
  switch (detail.type) {
    case "fall_detection":
      return { ...common, type: "fall_detection", impactMps: detail.impactMps }
    case "inactivity_detection":
      return { ...common, type: "inactivity" }
    case "intrusion_detection":
      return { ...common, type: "intrusion", persons: intrudersOf(detail) }
    default:
      return null
  }
}
