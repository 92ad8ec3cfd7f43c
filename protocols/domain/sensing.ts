/**
 * What an edge node says: its sensing record, semantic events, beamforming scan, and what the registry knows of it.
 *
 * These values stay within the service. They leave it only as a `Released` of the privacy gate (`core/privacy/gate.ts`); the fields
 * that it removes are nullable. A figure that the signal does not support is null, with its reason beside it. Times are milliseconds since the Unix
 * epoch: `timestampMs` in event time, `...SeenMs` by the service's clock.
 */
import { Schema } from "effect"
import { NodeStanding } from "./node-identity.ts"
import { Vitals } from "./pose.ts"
import { Presence, Provenance } from "./provenance.ts"

/** Raw 0, Derived 1, Anonymous 2, Restricted 3. */
const PrivacyClass = Schema.Literals([0, 1, 2, 3])

/** A figure or why there is none: of both, one is null. */
const Reason = Schema.NullOr(Schema.String)

/** Presence, vitals and the state of the air as one node sees them at the end of a hop. */
export const SensingRecord = Schema.Struct({
  timestampMs: Schema.Number,
  presence: Presence,
  /** Of the node's environment: it takes three links and a known geometry. 0 when nobody is there. */
  nPersons: Schema.NullOr(Schema.Int),
  nPersonsReason: Reason,
  /** 0..1; null when the signal does not say, with presence's reason. */
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

/** Since when an event is as it is; null before the first word of it. */
const since = { sinceMs: Schema.NullOr(Schema.Number) }

/** What a node's presence means. Named as operators see it: Unknown Presence, Unexpected Occupancy, Unrecognized Activity Pattern. */
export const SemanticEvents = Schema.Struct({
  timestampMs: Schema.Number,
  /** Somebody is there; it is never known who. */
  unknownPresence: Schema.Struct({ active: Schema.Boolean, source: Schema.String, ...since }),
  /** Somebody is there where hardly ever anybody is, at whatever hour. */
  unexpectedOccupancy: Schema.Struct({ active: Schema.Boolean, reason: Reason, ...since }),
  /** What goes on is unlike the site's learned week. Only for class Restricted; decided before the gate takes the score out. */
  unrecognizedActivityPattern: Schema.Struct({
    active: Schema.Boolean,
    anomalyThreshold: Schema.Number,
    anomalyScore: Schema.NullOr(Schema.Number),
    anomalyReason: Reason,
    ...since,
  }),
})
export type SemanticEvents = typeof SemanticEvents.Type

/** What the beamforming reports that a node overhears say about the room. */
export const BeamformingScan = Schema.Struct({
  /** Of the last report, in nanoseconds since the Unix epoch: past 2^53, so never a double. */
  timestampNs: Schema.BigInt,
  presence: Presence,
  personCount: Schema.NullOr(Schema.Int),
  personCountReason: Reason,
  /** Stations whose reports were used. */
  stations: Schema.Int,
})
export type BeamformingScan = typeof BeamformingScan.Type

/** What the registry knows of a node. Null where the device has not said. */
export const RegistryEntry = Schema.Struct({
  nodeId: Schema.String,
  environmentId: Schema.NullOr(Schema.String),
  /** Capture format or device family, as `RadioLayout.format` has it. */
  kind: Schema.NullOr(Schema.String),
  /** Heard within the last ten seconds. */
  online: Schema.Boolean,
  lastSeenMs: Schema.NullOr(Schema.Number),
  privacyClass: PrivacyClass,
  firmware: Schema.NullOr(Schema.String),
  rssiDbm: Schema.NullOr(Schema.Number),
  packetRateHz: Schema.NullOr(Schema.Number),
  packetLoss: Schema.NullOr(Schema.Number),
  /** How far its datagrams are trusted. */
  standing: NodeStanding,
  /** Whether its last datagram was signed; null where none came, as by gRPC. */
  signed: Schema.NullOr(Schema.Boolean),
})
export type RegistryEntry = typeof RegistryEntry.Type

/** Silence after which what a node said is stale. */
export { staleAfterMs } from "./lateness.ts"

/** Everything that a node says at a moment. `sensing` and `events` are null before the first hop, `scan` before the first reports. */
export const EdgeRecord = Schema.Struct({
  nodeId: Schema.String,
  privacyClass: PrivacyClass,
  /** When it was last heard, or first asked for where it never was. */
  seenMs: Schema.Number,
  entry: RegistryEntry,
  sensing: Schema.NullOr(SensingRecord),
  events: Schema.NullOr(SemanticEvents),
  scan: Schema.NullOr(BeamformingScan),
})
export type EdgeRecord = typeof EdgeRecord.Type
