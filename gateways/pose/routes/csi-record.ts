/**
 * CSI packets of clients in JSON as batches of one packet, and what becomes of them at their routers. `core/formats/json-csi.ts` defines the
 * numbers.
 */
import { Effect, Result } from "effect"
import { BatchBuilder, unknownTransmitterId } from "../../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { jsonCsiFrame } from "../../../core/formats/json-csi.ts"
import { ActorUnavailable, UnknownRouter } from "../../../protocols/domain/failure.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import type { AntennaData } from "../../../protocols/pose-api/antenna-data.ts"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { epochUsOf } from "../../../protocols/pose-api/fields.ts"
import { reader } from "../../../protocols/pose-api/input.ts"
import { CsiRecord } from "../../../protocols/pose-api/process.ts"
import type { IngestMany } from "../../ingest/ingest.ts"

export interface Packet {
  readonly batch: CsiBatch
  readonly timestampMs: number
}

/** Why a router did not receive a packet. */
export type Rejection = UnknownRouter | InvalidRequest | ActorUnavailable

/** Packets of this duration go to their routers together: about one hop, so that no router of an environment is far ahead of the others. */
const sliceMs = 100

const readRecord = reader(CsiRecord, { whole: "packet" })

/** A packet at a path of the request. `sequence` distinguishes its batch from others of the router. */
export const packetOf = (
  { antenna_data, metadata, timestamp }: CsiRecord,
  at: string,
  sequence: number,
): Result.Result<Packet, InvalidRequest> => {
  const timestampUs = epochUsOf(timestamp)
  if (!(timestampUs >= 0 && timestampUs < Number.MAX_SAFE_INTEGER)) {
    return Result.fail(InvalidRequest.of(`${at}.timestamp`, "is before 1970 or after 2255", timestamp))
  }
  const frame = jsonCsiFrame({
    timestampUs,
    // The schema has checked it.
    antennas: antenna_data as AntennaData,
    subcarrierIndices: metadata.subcarrier_indices ?? null,
    bandwidthHz: metadata.bandwidth_hz ?? null,
    centerFrequencyHz: metadata.center_frequency_hz ?? 0,
    transmitterId: metadata.transmitter_id ?? unknownTransmitterId,
    sequence: metadata.sequence ?? 0,
    rssiDbm: Math.round(metadata.signal_strength ?? 0),
  })
  if ("reason" in frame) {
    const field = metadata.subcarrier_indices === undefined ? "antenna_data" : "metadata.subcarrier_indices"
    return Result.fail(InvalidRequest.of(`${at}.${field}`, frame.message))
  }
  const builder = new BatchBuilder({ routerId: metadata.router_id, source: metadata.source ?? "live" })
  builder.add(frame)
  return Result.succeed({
    batch: { ...builder.take()[0]!, batchSequence: sequence },
    timestampMs: timestampUs / 1000,
  })
}

/** Reads a packet from its JSON. */
export const readPacket = (raw: unknown, at: string, sequence: number): Result.Result<Packet, InvalidRequest> => {
  const record = readRecord(raw)
  if (Result.isSuccess(record)) return packetOf(record.success, at, sequence)
  const errors = record.failure.errors.map((error) => ({
    ...error,
    field: error.field === "packet" ? at : `${at}.${error.field}`,
  }))
  return Result.fail(new InvalidRequest({ errors }))
}

/** The acknowledgement of a packet at a path of the request, or why its router did not receive it. */
const takenOf = (
  { batch: { routerId } }: Packet,
  at: string,
  ack: IngestAck,
): Result.Result<IngestAck, Rejection> => {
  const message = ack.reason ?? "The packet was rejected."
  if (ack.errorCode === null) return Result.succeed(ack)
  if (ack.errorCode === "unknown_router") return Result.fail(UnknownRouter.of(routerId))
  if (ack.errorCode === "invalid_batch") return Result.fail(InvalidRequest.of(at, message))
  return Result.fail(new ActorUnavailable({ actor: `Router ${routerId}`, message }))
}

export interface Sent {
  readonly packet: Packet
  /** Path of the packet in the request. */
  readonly at: string
}

/** Sends packets to their routers by time, so that their order in the request does not matter; returns what became of each. */
export const sendPackets = Effect.fnUntraced(function* (ingest: IngestMany, sent: ReadonlyArray<Sent>) {
  const taken = new Map<Packet, Result.Result<IngestAck, Rejection>>()
  const byTime = Map.groupBy(sent, ({ packet }) => Math.floor(packet.timestampMs / sliceMs))
  for (const slice of [...byTime.keys()].sort((a, b) => a - b)) {
    const now = byTime.get(slice)!.toSorted((a, b) => a.packet.timestampMs - b.packet.timestampMs)
    const acks = yield* ingest(now.map(({ packet }) => packet.batch))
    for (const [i, { at, packet }] of now.entries()) taken.set(packet, takenOf(packet, at, acks[i]!))
  }
  return sent.map(({ packet }) => taken.get(packet)!)
})
