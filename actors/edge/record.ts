/**
 * The record of an edge node: made of its router's newest reading, its room, and what its presence means.
 *
 * Pure. Invariant: no figure is made up; what the reading does not say is null with a reason, and nothing about who somebody is
 * exists here.
 */
import type { PrivacyClass } from "../../core/privacy/privacy-class.ts"
import { anomalyThreshold } from "../../core/semantics/learned-week.ts"
import type { SemanticReading } from "../../core/semantics/semantic-watch.ts"
import type { Presence } from "../../protocols/domain/provenance.ts"
import type { EdgeRecord, RegistryEntry, SemanticEvents, SensingRecord } from "../../protocols/domain/sensing.ts"
import type { NodeReading } from "../../protocols/messages/edge-node.ts"

/** What is known of a node beside its readings. */
export interface NodeFacts {
  readonly nodeId: string
  readonly environmentId: string
  readonly privacyClass: PrivacyClass
  readonly online: boolean
  /** By the service's clock; null: not since the actor was built. */
  readonly lastSeenMs: number | null
  readonly standing: RegistryEntry["standing"]
  readonly signed: boolean | null
}

/** Where what the node hears comes from, in the words of operators. */
const presenceSource = "Wi-Fi channel state information of this node; nobody is ever recognised"

/** The room's presence where the node's room is known, else the node's own. */
export const presenceOf = ({ presence, room }: NodeReading): Presence => room?.presence ?? presence

const noCount = "Persons are counted with three links and a known geometry; this site has not got them."

const personsOf = (reading: NodeReading): Pick<SensingRecord, "nPersons" | "nPersonsReason"> => {
  const presence = presenceOf(reading)
  if (reading.room !== null && reading.room.nPersons !== null) {
    return { nPersons: reading.room.nPersons, nPersonsReason: null }
  }
  if (presence.present === false) return { nPersons: 0, nPersonsReason: null }
  return { nPersons: null, nPersonsReason: reading.room?.reason ?? noCount }
}

/** How far the empty room has moved from its calibration: while somebody is there, it is they who move it. */
const envShiftOf = (reading: NodeReading): Pick<SensingRecord, "envShiftScore" | "envShiftReason"> => {
  const { present } = presenceOf(reading)
  if (reading.occupancy === null) {
    return { envShiftScore: null, envShiftReason: "It takes a calibration of the empty and of the occupied room." }
  }
  return present === false
    ? { envShiftScore: Math.min(1, Math.max(0, reading.occupancy)), envShiftReason: null }
    : { envShiftScore: null, envShiftReason: "It can be told only while nobody is there." }
}

const coherenceOf = (reading: NodeReading): Pick<SensingRecord, "nodeCoherence" | "nodeCoherenceReason"> =>
  reading.usableShare === null
    ? { nodeCoherence: null, nodeCoherenceReason: "No packet came in the last hop." }
    : { nodeCoherence: reading.usableShare * (1 - (reading.packetLoss ?? 0)), nodeCoherenceReason: null }

const sensingOf = (reading: NodeReading, { anomaly }: SemanticReading): SensingRecord => ({
  timestampMs: reading.timestampMs,
  presence: presenceOf(reading),
  ...personsOf(reading),
  motion: reading.motion,
  vitals: reading.vitals,
  anomalyScore: anomaly.score,
  anomalyReason: anomaly.reason,
  ...envShiftOf(reading),
  ...coherenceOf(reading),
  provenance: {
    source: reading.source,
    calibrated: reading.calibrated,
    modelVersion: "motion-statistic",
    linksUsed: reading.linksUsed,
    ...(reading.clockOffsetMs ? { clockOffsetMs: reading.clockOffsetMs } : {}),
  },
})

const eventsOf = (reading: NodeReading, semantic: SemanticReading): SemanticEvents => ({
  timestampMs: reading.timestampMs,
  unknownPresence: { ...semantic.unknownPresence, source: presenceSource },
  unexpectedOccupancy: semantic.unexpectedOccupancy,
  unrecognizedActivityPattern: {
    ...semantic.unrecognizedActivityPattern,
    anomalyThreshold,
    anomalyScore: semantic.anomaly.score,
    anomalyReason: semantic.anomaly.reason,
  },
})

/** What the registry knows of the node; `reading` is its newest one, null before it. */
const entryOf = (facts: NodeFacts, reading: NodeReading | null): RegistryEntry => ({
  nodeId: facts.nodeId,
  environmentId: facts.environmentId,
  kind: reading?.kind ?? null,
  online: facts.online,
  lastSeenMs: facts.lastSeenMs,
  privacyClass: facts.privacyClass,
  // No format that is decoded says which firmware sent it.
  firmware: null,
  rssiDbm: reading?.rssiDbm ?? null,
  packetRateHz: reading?.packetRateHz ?? null,
  packetLoss: reading?.packetLoss ?? null,
  standing: facts.standing,
  signed: facts.signed,
})

/** Everything that the node says now. */
export const recordOf = (
  facts: NodeFacts,
  reading: NodeReading | null,
  semantic: SemanticReading | null,
  seenMs: number,
): EdgeRecord => ({
  nodeId: facts.nodeId,
  privacyClass: facts.privacyClass,
  seenMs,
  entry: entryOf(facts, reading),
  sensing: reading === null || semantic === null ? null : sensingOf(reading, semantic),
  events: reading === null || semantic === null ? null : eventsOf(reading, semantic),
  scan: reading?.scan ?? null,
})
