/**
 * The record of an edge node, from its router's newest reading, its room, and the semantic events.
 *
 * Pure. Invariant: no value is invented. A value that the reading does not contain is null with a reason, and a record contains nothing
 * that identifies a person.
 */
import type { PrivacyClass } from "../../core/privacy/privacy-class.ts"
import { anomalyThreshold } from "../../core/semantics/learned-week.ts"
import type { SemanticReading } from "../../core/semantics/semantic-watch.ts"
import type { Presence, Provenance } from "../../protocols/domain/provenance.ts"
import type { EdgeRecord, RegistryEntry, SemanticEvents, SensingRecord } from "../../protocols/domain/sensing.ts"
import type { NodeReading } from "../../protocols/messages/edge-node.ts"

/** Facts of a node besides its readings. */
export interface NodeFacts {
  readonly nodeId: string
  readonly environmentId: string
  readonly privacyClass: PrivacyClass
  readonly online: boolean
  /** By the service's clock; null when there was no report since the actor was built. */
  readonly lastSeenMs: number | null
  readonly standing: RegistryEntry["standing"]
  readonly signed: boolean | null
}

/** The source of the presence, for operators. */
const presenceSources: Readonly<Record<Provenance["source"], string>> = {
  live: "Wi-Fi channel state information of this node; persons are not identified",
  replay: "Replayed Wi-Fi channel state information of this node; persons are not identified",
  simulated: "Simulated Wi-Fi channel state information of this node; persons are not identified",
}

/** The presence of the room where the room is known, else that of the node. */
export const presenceOf = ({ presence, room }: NodeReading): Presence => room?.presence ?? presence

const noCount = "Counting persons requires three links and a known geometry, which this site does not have."

const personsOf = (reading: NodeReading): Pick<SensingRecord, "nPersons" | "nPersonsReason"> => {
  const presence = presenceOf(reading)
  if (reading.room !== null && reading.room.nPersons !== null) {
    return { nPersons: reading.room.nPersons, nPersonsReason: null }
  }
  if (presence.present === false) return { nPersons: 0, nPersonsReason: null }
  return { nPersons: null, nPersonsReason: reading.room?.reason ?? noCount }
}

/** The deviation of the empty room from its calibration. With a person in the room there is no value, because the person causes most of it. */
const envShiftOf = (reading: NodeReading): Pick<SensingRecord, "envShiftScore" | "envShiftReason"> => {
  const { present } = presenceOf(reading)
  if (reading.occupancy === null) {
    return {
      envShiftScore: null,
      envShiftReason: "This value requires a calibration of the empty and of the occupied room.",
    }
  }
  return present === false
    ? { envShiftScore: Math.min(1, Math.max(0, reading.occupancy)), envShiftReason: null }
    : { envShiftScore: null, envShiftReason: "This value is measured only while the room is empty." }
}

const coherenceOf = (reading: NodeReading): Pick<SensingRecord, "nodeCoherence" | "nodeCoherenceReason"> =>
  reading.usableShare === null
    ? { nodeCoherence: null, nodeCoherenceReason: "No packet arrived in the last hop." }
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
  unknownPresence: { ...semantic.unknownPresence, source: presenceSources[reading.source] },
  unexpectedOccupancy: semantic.unexpectedOccupancy,
  unrecognizedActivityPattern: {
    ...semantic.unrecognizedActivityPattern,
    anomalyThreshold,
    anomalyScore: semantic.anomaly.score,
    anomalyReason: semantic.anomaly.reason,
  },
})

/** The registry entry of the node. `reading` is the newest one, null before the first. */
const entryOf = (facts: NodeFacts, reading: NodeReading | null): RegistryEntry => ({
  nodeId: facts.nodeId,
  environmentId: facts.environmentId,
  kind: reading?.kind ?? null,
  online: facts.online,
  lastSeenMs: facts.lastSeenMs,
  privacyClass: facts.privacyClass,
  // No supported format contains the firmware version.
  firmware: null,
  rssiDbm: reading?.rssiDbm ?? null,
  packetRateHz: reading?.packetRateHz ?? null,
  packetLoss: reading?.packetLoss ?? null,
  standing: facts.standing,
  signed: facts.signed,
})

/** The current record of the node. */
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
