/**
 * Fields that the gate takes out, as data: by the name that they have within the service, wherever in a record they stand.
 *
 * Three more are never made at all: a risk that somebody is recognised, a likeness of two persons, a fingerprint of a radio signature.
 * Nothing in this service computes them; they are named here so that readers are told, and so that a record in which they
 * appear all the same loses them.
 */

/** A field that class Restricted removes: what becomes of it, and of the fields that speak of it. */
interface RemovedField {
  /** As protocols write it, and as `redacted_fields` names it. */
  readonly wireName: string
  /** Fields beside it that take another value with it: its reason, its confidence. */
  readonly beside: Readonly<Record<string, string | number>>
}

const removed = "Removed: the node's privacy class is Restricted."

/** By the field's name. Each is nullable in every record. */
export const removedByRestricted: Readonly<Record<string, RemovedField>> = {
  anomalyScore: { wireName: "anomaly_score", beside: { anomalyReason: removed } },
  envShiftScore: { wireName: "env_shift_score", beside: { envShiftReason: removed } },
  nodeCoherence: { wireName: "node_coherence", beside: { nodeCoherenceReason: removed } },
  breathingRateBpm: { wireName: "breathing_rate_bpm", beside: { breathingReason: removed, breathingConfidence: 0 } },
  heartRateBpm: { wireName: "heartrate_bpm", beside: { heartReason: removed } },
}

/** Exist in no record of any class, by their names within the service and in protocols. */
export const neverExposed = ["identity_risk_score", "soul_match_probability", "rf_signature_hash"] as const

/** What a field of these names is called is never let out, whichever way it is written. */
export const neverExposedNames: ReadonlySet<string> = new Set([
  ...neverExposed,
  "identityRiskScore",
  "soulMatchProbability",
  "rfSignatureHash",
])
