/**
 * Codec of the edge record: `protocols/domain/sensing.ts` <-> the message `wavepose.v1.EdgeRecord`.
 *
 * The encoder takes only records that the privacy gate released to gRPC. Nanoseconds are encoded as two whole numbers, because a double
 * cannot hold them.
 */
import type { Released } from "../../core/privacy/gate.ts"
import type { PrivacyClass } from "../../core/privacy/privacy-class.ts"
import { NodeStanding } from "../domain/node-identity.ts"
import type { Presence } from "../domain/provenance.ts"
import type { BeamformingScan, EdgeRecord, RegistryEntry, SemanticEvents, SensingRecord } from "../domain/sensing.ts"
import { wavepose } from "./generated/wavepose.js"
import { vitalsOf } from "./vitals.ts"
import { sourceNumber, sourceOf } from "./wire.ts"

type Message<A> = A | null | undefined

const nsPerS = 1_000_000_000n

const encodeEvents = (events: SemanticEvents) => ({
  timestampMs: events.timestampMs,
  unknownPresence: events.unknownPresence,
  unknownPresenceSource: events.unknownPresence.source,
  unexpectedOccupancy: events.unexpectedOccupancy,
  unrecognizedActivityPattern: {
    ...events.unrecognizedActivityPattern,
    reason: events.unrecognizedActivityPattern.anomalyReason,
  },
  anomalyThreshold: events.unrecognizedActivityPattern.anomalyThreshold,
  anomalyScore: events.unrecognizedActivityPattern.anomalyScore,
})

const encodeScan = ({ timestampNs, ...scan }: BeamformingScan) => ({
  ...scan,
  seconds: Number(timestampNs / nsPerS),
  nanos: Number(timestampNs % nsPerS),
})

const encodeSensing = (sensing: SensingRecord) => ({
  ...sensing,
  provenance: { ...sensing.provenance, source: sourceNumber(sensing.provenance.source) },
})

const messageOf = ({ record, redactedFields }: Released<EdgeRecord, "grpc">) => ({
  ...record,
  sensing: record.sensing === null ? null : encodeSensing(record.sensing),
  events: record.events === null ? null : encodeEvents(record.events),
  scan: record.scan === null ? null : encodeScan(record.scan),
  redactedFields: [...redactedFields],
})

/** A message of `EdgeService.WatchEdge`: a record, or the rejection that ends the stream. */
type EdgeUpdate =
  | { readonly record: EdgeRecord }
  | { readonly refused: { readonly nodeId: string; readonly privacyClass: PrivacyClass } }

export const encodeEdgeUpdate = (released: Released<EdgeRecord, "grpc">): Uint8Array =>
  wavepose.v1.WatchEdgeResponse.encode({ record: messageOf(released) }).finish()

export const encodeEdgeRefusal = (nodeId: string, privacyClass: PrivacyClass, reason: string): Uint8Array =>
  wavepose.v1.WatchEdgeResponse.encode({ refusal: { nodeId, privacyClass, reason } }).finish()

export const encodeEdgeRecords = (records: ReadonlyArray<Released<EdgeRecord, "grpc">>): Uint8Array =>
  wavepose.v1.ListEdgeResponse.encode({ records: records.map(messageOf) }).finish()

const presenceOf = (message: Message<wavepose.v1.EdgePresence.$Properties>): Presence => ({
  present: message?.present ?? null,
  confidence: message?.confidence ?? 0,
  reason: message?.reason ?? null,
})

const isStanding = (text: string): text is RegistryEntry["standing"] =>
  (NodeStanding.literals as ReadonlyArray<string>).includes(text)

const entryOf = (
  message: Message<wavepose.v1.RegistryEntry.$Properties>,
  nodeId: string,
  privacyClass: PrivacyClass,
): RegistryEntry => {
  const standing = message?.standing ?? ""
  if (!isStanding(standing)) {
    throw new Error(
      `The status "${standing}" of a node is unknown. Use the same version of the service and its processes.`,
    )
  }
  return {
    nodeId,
    environmentId: message?.environmentId ?? null,
    kind: message?.kind ?? null,
    online: message?.online ?? false,
    lastSeenMs: message?.lastSeenMs ?? null,
    privacyClass,
    firmware: message?.firmware ?? null,
    rssiDbm: message?.rssiDbm ?? null,
    packetRateHz: message?.packetRateHz ?? null,
    packetLoss: message?.packetLoss ?? null,
    standing,
    signed: message?.signed ?? null,
  }
}

const sensingOf = (message: wavepose.v1.SensingRecord.$Properties): SensingRecord => {
  const source = sourceOf(message.provenance?.source ?? 0)
  if (source === null) {
    throw new Error("A sensing record has no source. Use the same version of the service and its processes.")
  }
  return {
    timestampMs: message.timestampMs ?? 0,
    presence: presenceOf(message.presence),
    nPersons: message.nPersons ?? null,
    nPersonsReason: message.nPersonsReason ?? null,
    motion: message.motion ?? null,
    vitals: vitalsOf(message.vitals),
    anomalyScore: message.anomalyScore ?? null,
    anomalyReason: message.anomalyReason ?? null,
    envShiftScore: message.envShiftScore ?? null,
    envShiftReason: message.envShiftReason ?? null,
    nodeCoherence: message.nodeCoherence ?? null,
    nodeCoherenceReason: message.nodeCoherenceReason ?? null,
    provenance: {
      source,
      calibrated: message.provenance?.calibrated ?? false,
      modelVersion: message.provenance?.modelVersion ?? "",
      linksUsed: message.provenance?.linksUsed ?? 0,
      ...(message.provenance?.clockOffsetMs == null ? {} : { clockOffsetMs: message.provenance.clockOffsetMs }),
    },
  }
}

const eventOf = (message: Message<wavepose.v1.SemanticEvent.$Properties>) => ({
  active: message?.active ?? false,
  sinceMs: message?.sinceMs ?? null,
})

const eventsOf = (message: wavepose.v1.SemanticEvents.$Properties): SemanticEvents => ({
  timestampMs: message.timestampMs ?? 0,
  unknownPresence: { ...eventOf(message.unknownPresence), source: message.unknownPresenceSource ?? "" },
  unexpectedOccupancy: {
    ...eventOf(message.unexpectedOccupancy),
    reason: message.unexpectedOccupancy?.reason ?? null,
  },
  unrecognizedActivityPattern: {
    ...eventOf(message.unrecognizedActivityPattern),
    anomalyThreshold: message.anomalyThreshold ?? 0,
    anomalyScore: message.anomalyScore ?? null,
    anomalyReason: message.unrecognizedActivityPattern?.reason ?? null,
  },
})

const scanOf = (message: wavepose.v1.BeamformingScan.$Properties): BeamformingScan => ({
  timestampNs: BigInt(Number(message.seconds ?? 0)) * nsPerS + BigInt(message.nanos ?? 0),
  presence: presenceOf(message.presence),
  personCount: message.personCount ?? null,
  personCountReason: message.personCountReason ?? null,
  stations: message.stations ?? 0,
})

const classOf = (number: Message<number>): PrivacyClass => {
  if (number !== 0 && number !== 1 && number !== 2 && number !== 3) {
    throw new Error(`The privacy class ${number} is unknown. Use the same version of the service and its processes.`)
  }
  return number
}

const recordOf = (message: wavepose.v1.EdgeRecord.$Properties): EdgeRecord => {
  const nodeId = message.nodeId ?? ""
  const privacyClass = classOf(message.privacyClass)
  return {
    nodeId,
    privacyClass,
    seenMs: message.seenMs ?? 0,
    entry: entryOf(message.entry, nodeId, privacyClass),
    sensing: message.sensing ? sensingOf(message.sensing) : null,
    events: message.events ? eventsOf(message.events) : null,
    scan: message.scan ? scanOf(message.scan) : null,
  }
}

/** The records of a list. Throws if the bytes are not such a message. */
export const decodeEdgeRecords = (bytes: Uint8Array): ReadonlyArray<EdgeRecord> =>
  wavepose.v1.ListEdgeResponse.decode(bytes).records.map(recordOf)

/** The update in a message. Throws if the bytes are not such a message. */
export const decodeEdgeUpdate = (bytes: Uint8Array): EdgeUpdate => {
  const { record, refusal } = wavepose.v1.WatchEdgeResponse.decode(bytes)
  if (refusal) {
    return { refused: { nodeId: refusal.nodeId ?? "", privacyClass: classOf(refusal.privacyClass ?? 0) } }
  }
  if (!record) throw new Error("An update of an edge node is neither a record nor a rejection.")
  return { record: recordOf(record) }
}
