/**
 * The data of an edge node: its sensing record, semantic events, beamforming scan and registry entry.
 *
 * These values stay within the service. They leave it only as a `Released` of the privacy gate (`core/privacy/gate.ts`); the fields
 * that it removes are nullable. A value that the signal does not support is null, with its reason beside it. Times are milliseconds since the
 * Unix epoch: `timestampMs` in event time, `...SeenMs` by the service's clock.
 */
import { Schema } from "effect"
import { NodeStanding } from "./node-identity.ts"
import { Vitals } from "./pose.ts"
import { Presence, Provenance } from "./provenance.ts"

/** Raw 0, Derived 1, Anonymous 2, Restricted 3. */
const PrivacyClass = Schema.Literals([0, 1, 2, 3])

/** A value, or the reason for its absence: one of the two is null. */
const Reason = Schema.NullOr(Schema.String)

/** Presence, vitals and the state of the air as one node sees them at the end of a hop. */
export const SensingRecord = Schema.Struct({
  timestampMs: Schema.Number,
  presence: Presence,
  /** Persons in the node's environment. Counting takes three links and a known geometry; null without them, 0 if the room is empty. */
  nPersons: Schema.NullOr(Schema.Int),
  nPersonsReason: Reason,
  /** 0..1; null if the signal does not support it, with the reason of presence. */
  motion: Schema.NullOr(Schema.Number),
  vitals: Vitals,
  /** 0..1: how unusual the last quarter of an hour was for the site's learned week. */
  anomalyScore: Schema.NullOr(Schema.Number),
  anomalyReason: Reason,
  /** 0..1: how far the empty room's static response has moved from its calibration. */
  envShiftScore: Schema.NullOr(Schema.Number),
  envShiftReason: Reason,
  /** 0..1: share of the node's packets that came and fit the others. */
  nodeCoherence: Schema.NullOr(Schema.Number),
  nodeCoherenceReason: Reason,
  provenance: Provenance,
})
export type SensingRecord = typeof SensingRecord.Type

/** A semantic event; `sinceMs` is null before the first evaluation. */
const since = { sinceMs: Schema.NullOr(Schema.Number) }

/** What a node's presence means. Named as operators see it: Unknown Presence, Unexpected Occupancy, Unrecognized Activity Pattern. */
export const SemanticEvents = Schema.Struct({
  timestampMs: Schema.Number,
  /** A person is present. Persons are never identified. */
  unknownPresence: Schema.Struct({ active: Schema.Boolean, source: Schema.String, ...since }),
  /** A person is present where persons rarely are, at any hour. */
  unexpectedOccupancy: Schema.Struct({ active: Schema.Boolean, reason: Reason, ...since }),
  /** The activity differs from the site's learned week. Only for class Restricted; decided before the gate removes the score. */
  unrecognizedActivityPattern: Schema.Struct({
    active: Schema.Boolean,
    anomalyThreshold: Schema.Number,
    anomalyScore: Schema.NullOr(Schema.Number),
    anomalyReason: Reason,
    ...since,
  }),
})
export type SemanticEvents = typeof SemanticEvents.Type

/** The estimate from beamforming reports that a node overhears. */
export const BeamformingScan = Schema.Struct({
  /** Time of the last report, in nanoseconds since the Unix epoch: past 2^53, so never a double. */
  timestampNs: Schema.BigInt,
  presence: Presence,
  personCount: Schema.NullOr(Schema.Int),
  personCountReason: Reason,
  /** Stations whose reports were used. */
  stations: Schema.Int,
})
export type BeamformingScan = typeof BeamformingScan.Type

/** The registry entry of a node. A value that the device has not reported is null. */
export const RegistryEntry = Schema.Struct({
  nodeId: Schema.String,
  environmentId: Schema.NullOr(Schema.String),
  /** Capture format or device family, as `RadioLayout.format` has it. */
  kind: Schema.NullOr(Schema.String),
  /** Whether it has sent within the last ten seconds. */
  online: Schema.Boolean,
  lastSeenMs: Schema.NullOr(Schema.Number),
  privacyClass: PrivacyClass,
  firmware: Schema.NullOr(Schema.String),
  rssiDbm: Schema.NullOr(Schema.Number),
  packetRateHz: Schema.NullOr(Schema.Number),
  packetLoss: Schema.NullOr(Schema.Number),
  /** Its standing under the service's policy. */
  standing: NodeStanding,
  /** Whether its last datagram was signed; null if none arrived, e.g. over gRPC. */
  signed: Schema.NullOr(Schema.Boolean),
})
export type RegistryEntry = typeof RegistryEntry.Type

/** Silence after which the data of a node are stale. */
export { staleAfterMs } from "./lateness.ts"

/** All data of a node at one time. `sensing` and `events` are null before the first hop, `scan` before the first reports. */
export const EdgeRecord = Schema.Struct({
  nodeId: Schema.String,
  privacyClass: PrivacyClass,
  /** When it last sent; if never, when it was first requested. */
  seenMs: Schema.Number,
  entry: RegistryEntry,
  sensing: Schema.NullOr(SensingRecord),
  events: Schema.NullOr(SemanticEvents),
  scan: Schema.NullOr(BeamformingScan),
})
export type EdgeRecord = typeof EdgeRecord.Type
