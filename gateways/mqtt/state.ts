/**
 * The payloads of a node's state and events.
 *
 * Boundary: it takes only records that the privacy gate released to MQTT. Invariants: a value that the gate removed is absent, and only
 * `redacted_fields` names it; a value that the signal does not support is null, with its reason.
 */
import type { Released } from "../../core/privacy/gate.ts"
import { provenanceJson } from "../../protocols/domain/provenance.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"

const rounded = (value: number | null, places: number): number | null =>
  value === null ? null : Math.round(value * 10 ** places) / 10 ** places

/** The fields without those of these names. */
const without = <T extends Record<string, unknown>>(fields: T, names: ReadonlyArray<string>): Partial<T> =>
  names.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as Partial<T>

/** Presence, number of persons, class and source as a text: a change is published at once. Null before the first reading. */
export const factsOf = (released: Released<EdgeRecord, "mqtt">): string | null => {
  const { sensing } = released.record
  return sensing === null
    ? null
    : `${sensing.presence.present} ${sensing.nPersons} ${released.privacyClass} ${sensing.provenance.source}`
}

/** The state of a node without its time, for comparison. Null before the first reading. */
export const contentOf = (released: Released<EdgeRecord, "mqtt">): string | null => {
  const { sensing } = released.record
  if (sensing === null) return null
  const { presence, provenance, vitals } = sensing
  const { redactedFields } = released
  const figures = without({
    presence_confidence: rounded(presence.confidence, 2),
    motion: rounded(sensing.motion, 2),
    breathing_rate_bpm: rounded(vitals.breathingRateBpm, 1),
    heartrate_bpm: rounded(vitals.heartRateBpm, 0),
    anomaly_score: rounded(sensing.anomalyScore, 2),
    env_shift_score: rounded(sensing.envShiftScore, 2),
    node_coherence: rounded(sensing.nodeCoherence, 2),
  }, redactedFields)
  return JSON.stringify({
    presence: presence.present,
    presence_reason: presence.reason,
    n_persons: sensing.nPersons,
    n_persons_reason: sensing.nPersonsReason,
    ...figures,
    breathing_reason: vitals.breathingReason,
    heart_reason: vitals.heartReason,
    anomaly_reason: sensing.anomalyReason,
    env_shift_reason: sensing.envShiftReason,
    coherence_reason: sensing.nodeCoherenceReason,
    privacy_class: released.privacyClass,
    redacted_fields: redactedFields,
    provenance: provenanceJson(provenance),
  })
}

/** The payload of a state: its content and its time. */
export const statePayload = (content: string, timestampMs: number): string =>
  `${content.slice(0, -1)},"timestamp_ms":${timestampMs}}`

/** The semantic events of a node: what they say, which distinguishes them, and their payload. Null before the first ones. */
export const eventsOf = (
  released: Released<EdgeRecord, "mqtt">,
): { readonly content: string; readonly payload: () => string } | null => {
  const { events, sensing } = released.record
  if (events === null || sensing === null) return null
  const { unexpectedOccupancy, unknownPresence, unrecognizedActivityPattern: pattern } = events
  const said = {
    privacy_class: released.privacyClass,
    unknown_presence: {
      active: unknownPresence.active,
      source: unknownPresence.source,
      ts: unknownPresence.sinceMs,
    },
    unexpected_occupancy: {
      active: unexpectedOccupancy.active,
      schedule_aware: false,
      reason: unexpectedOccupancy.reason,
      ts: unexpectedOccupancy.sinceMs,
    },
    unrecognized_activity_pattern: without({
      active: pattern.active,
      anomaly_threshold: pattern.anomalyThreshold,
      anomaly_score: rounded(pattern.anomalyScore, 1),
      anomaly_reason: pattern.anomalyReason,
      ts: pattern.sinceMs,
    }, released.redactedFields),
  }
  const { provenance } = sensing
  return {
    content: JSON.stringify({ ...said, source: provenance.source }),
    payload: () => JSON.stringify({ ...said, provenance: provenanceJson(provenance) }),
  }
}
