/**
 * The acknowledgement of one CSI batch and its codec: the message `wavepose.v1.IngestAck`.
 */
import { wavepose } from "./generated/wavepose.js"

/**
 * Why a whole batch was refused. After `unavailable` the same batch may be sent again; after the others it is
 * useless.
 */
export type IngestErrorCode = "unknown_router" | "invalid_batch" | "unavailable"

export interface IngestAck {
  /** The batch this answers; 0 when its sequence could not be read. */
  readonly batchSequence: number
  readonly acceptedFrames: number
  readonly droppedFrames: number
  /** Why frames were dropped or the batch was refused; null when all went well. */
  readonly reason: string | null
  /** Null unless the whole batch was refused. */
  readonly errorCode: IngestErrorCode | null
  /** Batches that may be in flight from now on. */
  readonly credit: number
}

export const encodeIngestAck = (ack: IngestAck): Uint8Array => wavepose.v1.IngestAck.encode(ack).finish()

/**
 * Throws on bytes that are no such message; an unknown error code counts as `invalid_batch`, which is never sent
 * again.
 */
export const decodeIngestAck = (bytes: Uint8Array): IngestAck => {
  const message = wavepose.v1.IngestAck.decode(bytes)
  return {
    batchSequence: Number(message.batchSequence),
    acceptedFrames: message.acceptedFrames,
    droppedFrames: message.droppedFrames,
    reason: message.reason === "" ? null : message.reason,
    errorCode: message.errorCode === ""
      ? null
      : errorCodes.find((code) => code === message.errorCode) ?? "invalid_batch",
    credit: message.credit,
  }
}

const errorCodes: ReadonlyArray<IngestErrorCode> = ["unknown_router", "invalid_batch", "unavailable"]
