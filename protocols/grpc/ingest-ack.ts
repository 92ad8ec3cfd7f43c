/**
 * The acknowledgement of one CSI batch and its codec: the message `wavepose.v1.IngestAck`.
 */
import { wavepose } from "./generated/wavepose.js"

/**
 * Why a whole batch was rejected. After `unavailable` the client may send the same batch again; after the others it must not.
 */
export type IngestErrorCode = "unknown_router" | "invalid_batch" | "unavailable"

export interface IngestAck {
  /** Sequence of the batch; 0 if it could not be read. */
  readonly batchSequence: number
  readonly acceptedFrames: number
  readonly droppedFrames: number
  /** Why frames were dropped or the batch was rejected; null if neither happened. */
  readonly reason: string | null
  /** Null unless the whole batch was rejected. */
  readonly errorCode: IngestErrorCode | null
  /** Maximum number of batches in flight from now on. */
  readonly credit: number
  /** `host:port` of the gRPC edge of the node that has the router, if that is another node and it states one. */
  readonly nodeAddress?: string
}

export const encodeIngestAck = (ack: IngestAck): Uint8Array => wavepose.v1.IngestAck.encode(ack).finish()

/**
 * Throws if the bytes are not such a message. An unknown error code is read as `invalid_batch`, which is never sent again.
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
    ...(message.nodeAddress === "" ? {} : { nodeAddress: message.nodeAddress }),
  }
}

const errorCodes: ReadonlyArray<IngestErrorCode> = ["unknown_router", "invalid_batch", "unavailable"]
