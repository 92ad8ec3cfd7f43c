/**
 * Fields that the privacy gate removes, as data: by their name within the service, at any depth of a record.
 *
 * Three more fields are never published: a risk of recognition, a similarity of two persons, a fingerprint of a radio signature.
 * This service does not compute them. They are listed for the documentation, and so that a record that has them
 * anyway loses them.
 */

/** A field that class Restricted removes, and the changes of the fields about it. */
interface RemovedField {
  /** Its name in protocols and in `redacted_fields`. */
  readonly wireName: string
  /** New values of fields beside it: its reason, its confidence. */
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

/** Fields that no record of any class has, by their names in protocols. */
export const neverExposed = ["identity_risk_score", "soul_match_probability", "rf_signature_hash"] as const

/** The same fields in each spelling. The gate removes them from every record. */
export const neverExposedNames: ReadonlySet<string> = new Set([
  ...neverExposed,
  "identityRiskScore",
  "soulMatchProbability",
  "rfSignatureHash",
])
