/**
 * The answers of the edge bridge. Each body is made only from a record that the privacy gate released to the bridge.
 *
 * `presence`, `n_persons`, `motion` and the rates are null if the signal does not support them; `reasons` has the reason of each field.
 * `redacted_fields` names the fields that are never exposed and those that the node's class removes. `timestamp_ns` has its exact digits: it
 * exceeds 2^53, so a reader that parses JSON numbers as doubles loses the last ones.
 */
import { neverExposed } from "../../core/privacy/fields.ts"
import type { Released } from "../../core/privacy/gate.ts"
import { exactInteger } from "../domain/exact-json.ts"
import { latenessOfAge } from "../domain/lateness.ts"
import type { Provenance } from "../domain/provenance.ts"
import type { EdgeRecord } from "../domain/sensing.ts"

/** A record that the gate released to the bridge. */
export type BridgeRecord = Released<EdgeRecord, "bridge">

/** Version of the format of sensing records. */
const sensingSchemaVersion = 2

type Json = Readonly<Record<string, unknown>>

const provenanceJson = (provenance: Provenance, timestampMs: number, nowMs: number, judgedMs: number): Json => ({
  source: provenance.source,
  calibrated: provenance.calibrated,
  age_ms: Math.max(0, Math.round(nowMs - timestampMs)),
  lateness: latenessOfAge(judgedMs),
  model_version: provenance.modelVersion,
  links_used: provenance.linksUsed,
})

/** Reasons of the fields that are null. */
const reasonsJson = (reasons: ReadonlyArray<readonly [field: string, value: unknown, reason: string | null]>): Json =>
  Object.fromEntries(
    reasons.flatMap(([field, value, reason]) => value === null && reason !== null ? [[field, reason]] : []),
  )

const redactedJson = ({ redactedFields }: BridgeRecord): ReadonlyArray<string> => [...neverExposed, ...redactedFields]

/** Presence, persons and vitals of a node; null before its first packets. */
const vitalsJson = (released: BridgeRecord, nowMs: number, ageMs: number): Json | null => {
  const { nodeId, sensing } = released.record
  if (sensing === null) return null
  const { motion, nPersons, presence, vitals } = sensing
  return {
    node_id: nodeId,
    timestamp_ms: Math.round(sensing.timestampMs),
    presence: presence.present,
    n_persons: nPersons,
    confidence: presence.confidence,
    breathing_rate_bpm: vitals.breathingRateBpm,
    heartrate_bpm: vitals.heartRateBpm,
    motion,
    privacy_class: released.privacyClass,
    provenance: provenanceJson(sensing.provenance, sensing.timestampMs, nowMs, ageMs),
    redacted_fields: redactedJson(released),
    reasons: reasonsJson([
      ["presence", presence.present, presence.reason],
      ["n_persons", nPersons, sensing.nPersonsReason],
      ["breathing_rate_bpm", vitals.breathingRateBpm, vitals.breathingReason],
      ["heartrate_bpm", vitals.heartRateBpm, vitals.heartReason],
      ["motion", motion, presence.reason],
    ]),
  }
}

/** `GET /api/v1/vitals/{node_id}/latest`; null before the node's first packets. `ageMs`: the age from which its lateness follows. */
export const vitalsText = (released: BridgeRecord, nowMs: number, ageMs: number): string | null => {
  const body = vitalsJson(released, nowMs, ageMs)
  return body === null ? null : JSON.stringify(body)
}

/** `GET /api/v1/sensing/latest`; null before the node's first packets. */
export const sensingText = (released: BridgeRecord, nowMs: number, ageMs: number): string | null => {
  const body = vitalsJson(released, nowMs, ageMs)
  const { sensing } = released.record
  if (body === null || sensing === null) return null
  const { anomalyScore, envShiftScore, nodeCoherence } = sensing
  const reasons = reasonsJson([
    ["anomaly_score", anomalyScore, sensing.anomalyReason],
    ["env_shift_score", envShiftScore, sensing.envShiftReason],
    ["node_coherence", nodeCoherence, sensing.nodeCoherenceReason],
  ])
  return JSON.stringify({
    schema_version: sensingSchemaVersion,
    ...body,
    anomaly_score: anomalyScore,
    env_shift_score: envShiftScore,
    node_coherence: nodeCoherence,
    reasons: { ...body["reasons"] as Json, ...reasons },
  })
}

/** `GET /api/v1/bfld/{node_id}/last_scan`; null while the node receives no beamforming reports. `age_ms` is that of the last report. */
export const scanText = (released: BridgeRecord, nowMs: number, ageMs: number): string | null => {
  const { nodeId, scan, sensing } = released.record
  if (scan === null || sensing === null) return null
  return JSON.stringify({
    node_id: nodeId,
    identity_risk_score: null,
    privacy_class: released.privacyClass,
    person_count: scan.personCount,
    confidence: scan.presence.confidence,
    presence: scan.presence.present,
    timestamp_ns: exactInteger(scan.timestampNs),
    stations: scan.stations,
    provenance: provenanceJson(sensing.provenance, Number(scan.timestampNs) / 1e6, nowMs, ageMs),
    redacted_fields: redactedJson(released),
    reasons: reasonsJson([
      ["person_count", scan.personCount, scan.personCountReason],
      ["presence", scan.presence.present, scan.presence.reason],
    ]),
  })
}

/**
 * `GET /api/v1/semantic-events/{node_id}/latest`; null before the node's first packets. `ts` is the time of the last change, in milliseconds since
 * the Unix epoch.
 */
export const semanticEventsText = (released: BridgeRecord, nowMs: number, ageMs: number): string | null => {
  const { events, nodeId, sensing } = released.record
  if (events === null || sensing === null) return null
  const { timestampMs, unexpectedOccupancy, unknownPresence, unrecognizedActivityPattern: pattern } = events
  return JSON.stringify({
    node_id: nodeId,
    privacy_class: released.privacyClass,
    events: {
      unknown_presence: {
        active: unknownPresence.active,
        source: unknownPresence.source,
        ts: unknownPresence.sinceMs ?? timestampMs,
      },
      unexpected_occupancy: {
        active: unexpectedOccupancy.active,
        schedule_aware: false,
        ts: unexpectedOccupancy.sinceMs ?? timestampMs,
      },
      unrecognized_activity_pattern: {
        active: pattern.active,
        anomaly_threshold: pattern.anomalyThreshold,
        anomaly_score: pattern.anomalyScore,
        ts: pattern.sinceMs ?? timestampMs,
      },
    },
    provenance: provenanceJson(sensing.provenance, timestampMs, nowMs, ageMs),
    redacted_fields: redactedJson(released),
    reasons: reasonsJson([
      ["events.unknown_presence", unknownPresence.sinceMs, "There is no evaluation yet."],
      ["events.unexpected_occupancy", unexpectedOccupancy.active ? true : null, unexpectedOccupancy.reason],
      ["events.unrecognized_activity_pattern.anomaly_score", pattern.anomalyScore, pattern.anomalyReason],
    ]),
  })
}

/** `GET /api/v1/edge/registry`. `online`: whether the bridge has received a record of the node recently. */
export const registryText = (
  nodes: ReadonlyArray<{ readonly released: BridgeRecord; readonly online: boolean }>,
): string =>
  JSON.stringify({
    nodes: nodes.map(({ online, released: { privacyClass, record: { entry } } }) => ({
      node_id: entry.nodeId,
      environment_id: entry.environmentId,
      kind: entry.kind,
      online,
      last_seen_ms: entry.lastSeenMs,
      privacy_class: privacyClass,
      firmware: entry.firmware,
      rssi_dbm: entry.rssiDbm,
      packet_rate_hz: entry.packetRateHz,
      packet_loss: entry.packetLoss,
      standing: entry.standing,
      signed: entry.signed,
    })),
    // Any device in the network can impersonate a node that does not sign.
    unsigned_nodes: nodes.flatMap(({ released: { record: { entry } } }) =>
      entry.signed === false ? [entry.nodeId] : []
    ),
  })

const healthOf = (ageMs: number | null): "healthy" | "degraded" | "unavailable" => {
  if (ageMs === null) return "unavailable"
  return latenessOfAge(ageMs) === "on_time" ? "healthy" : "degraded"
}

/** `GET /health`. `status` is `degraded` while the newest record is late. */
export const bridgeHealthText = (health: {
  /** Age of the newest record that is not stale; null without one. */
  readonly featureAgeMs: number | null
  readonly source: Provenance["source"] | null
  readonly version: string
}): string =>
  JSON.stringify({
    ok: health.featureAgeMs !== null,
    status: healthOf(health.featureAgeMs),
    feature_age_s: health.featureAgeMs === null ? null : health.featureAgeMs / 1000,
    source: health.source,
    version: health.version,
  })

/** Bounds of a subscription, in seconds. */
export const subscriptionS = { standard: 10, min: 1, max: 3600 } as const
const pollS = 1

/** `POST /api/v1/bfld/{node_id}/subscribe`: scans are not pushed, so the answer asks the client to poll. */
export const subscriptionText = (subscriptionId: string, nodeId: string, durationS: number): string =>
  JSON.stringify({
    subscription_id: subscriptionId,
    node_id: nodeId,
    duration_s: durationS,
    endpoint_hint:
      `Poll GET /api/v1/bfld/${nodeId}/last_scan every ${pollS} s for ${durationS} s: scans are not pushed.`,
  })

export const errorHintText = (error: string, hint: string): string => JSON.stringify({ error, hint })

export const errorPathText = (error: string, path: string): string => JSON.stringify({ error, path })
