/**
 * The batches of one stream of `CsiIngestService.StreamCsi`: those that wait, and those that are in flight.
 *
 * Boundary: `ingest-streams.ts` decides which routers take the stream, and what becomes of its batches when it ends.
 *
 * Invariant: at most as many batches as the server's last credit are in flight.
 */
import type * as grpc from "@grpc/grpc-js"
import { Data, Deferred, Effect } from "effect"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"

/** The server rejects this client. A retry does not help. */
export class IngestRefused extends Data.TaggedError("IngestRefused")<{ readonly message: string }> {}

/** Credit before the server sends its own. */
const initialCredit = 16

export type IngestCall = grpc.ClientDuplexStream<Uint8Array, IngestAck>

/** A batch, held until it is acknowledged. */
export interface Held {
  /** Batches that cannot be read have the same router, and the service rejects them. */
  readonly routerId: string
  readonly bytes: Uint8Array
  readonly acknowledged: Deferred.Deferred<IngestAck, IngestRefused>
}

export interface IngestWindow {
  /** Batches that are not acknowledged. */
  readonly size: () => number
  readonly inFlight: () => number
  readonly add: (batch: Held) => void
  /** Removes a batch whose caller was interrupted, unless it is already in flight. Returns whether it did. */
  readonly forget: (batch: Held) => boolean
  /** Ends the use of the stream. Returns all unacknowledged batches, in order. */
  readonly end: () => ReadonlyArray<Held>
}

/** @param settled called for each acknowledged batch */
export const makeWindow = (call: IngestCall, settled: (batch: Held) => void): IngestWindow => {
  /** Acknowledged in this order. The first `inFlight` are written. */
  const batches: Array<Held> = []
  let inFlight = 0
  let credit = initialCredit
  let isOpen = true

  const pump = (): void => {
    for (; isOpen && inFlight < credit && inFlight < batches.length; inFlight++) call.write(batches[inFlight]!.bytes)
  }

  call.on("data", (ack: IngestAck) => {
    // The last ones may arrive after the end.
    const batch = isOpen ? batches.shift() : undefined
    if (batch === undefined) return
    inFlight--
    credit = Math.max(1, ack.credit)
    settled(batch)
    Deferred.doneUnsafe(batch.acknowledged, Effect.succeed(ack))
    pump()
  })

  return {
    size: () => batches.length,
    inFlight: () => inFlight,
    add: (batch) => {
      batches.push(batch)
      pump()
    },
    forget: (batch) => {
      const i = batches.indexOf(batch)
      return i >= inFlight && batches.splice(i, 1).length > 0
    },
    end: () => {
      isOpen = false
      inFlight = 0
      return batches.splice(0)
    },
  }
}
