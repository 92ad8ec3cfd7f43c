/**
 * The batches of one stream of `CsiIngestService.StreamCsi`: those that wait, and those that are in flight.
 *
 * Invariants:
 * 1. At most as many batches as the server's last credit are in flight.
 * 2. When the stream breaks, all unacknowledged batches are sent again, in order, on the next one. So a batch may reach its
 *    router twice. The router recognises it by its times.
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
  readonly bytes: Uint8Array
  readonly acknowledged: Deferred.Deferred<IngestAck, IngestRefused>
}

/** How a stream ended. */
interface StreamEnd {
  readonly status: grpc.StatusObject
  /** Batches that it acknowledged. */
  readonly acknowledged: number
}

export interface IngestWindow {
  /** Switches to a new stream; returns when that has ended. */
  readonly run: (open: () => IngestCall) => Effect.Effect<StreamEnd>
  readonly waiting: () => number
  /** Batches that were acknowledged, and those in flight. */
  readonly progress: () => { readonly acknowledged: number; readonly inFlight: number }
  readonly add: (batch: Held) => void
  /** A batch whose caller was interrupted is not sent, unless it is already in flight. */
  readonly forget: (batch: Held) => void
  /** Removes all unacknowledged batches, in order. No stream may be open. */
  readonly takeAll: () => ReadonlyArray<Held>
}

/** Calls back for each acknowledgement, which says whether it counts, and at the end of the stream. */
const listenTo = (call: IngestCall, settle: (ack: IngestAck) => boolean, ended: (end: StreamEnd) => void): void => {
  let acknowledged = 0
  call.on("data", (ack: IngestAck) => {
    if (settle(ack)) acknowledged++
  })
  call.on("error", () => {})
  call.on("status", (status: grpc.StatusObject) => ended({ status, acknowledged }))
}

export const makeWindow = (): IngestWindow => {
  /** Acknowledged in this order. The first `inFlight` are written to the current stream. */
  const batches: Array<Held> = []
  let inFlight = 0
  let acknowledged = 0
  let credit = initialCredit
  let writing: IngestCall | null = null
  let reading: IngestCall | null = null

  const pump = (): void => {
    for (; writing !== null && inFlight < credit && inFlight < batches.length; inFlight++) {
      writing.write(batches[inFlight]!.bytes)
    }
  }

  const stopWriting = (): void => {
    writing = null
    inFlight = 0
  }

  /** Processes an acknowledgement. Returns whether its batch was still held. */
  const settle = (call: IngestCall, ack: IngestAck): boolean => {
    // The last ones may arrive after the status of their stream, and must not be counted on the next.
    const batch = reading === call ? batches.shift() : undefined
    if (batch === undefined) return false
    if (writing === call) inFlight--
    acknowledged++
    credit = Math.max(1, ack.credit)
    Deferred.doneUnsafe(batch.acknowledged, Effect.succeed(ack))
    pump()
    return true
  }

  const run: IngestWindow["run"] = (open) =>
    Effect.callback<StreamEnd>((resume) => {
      const call = open()
      listenTo(call, (ack) => settle(call, ack), (end) => {
        stopWriting()
        resume(Effect.succeed(end))
      })
      writing = call
      reading = call
      pump()
      return Effect.sync(() => {
        stopWriting()
        call.cancel()
      })
    })

  return {
    run,
    waiting: () => batches.length,
    progress: () => ({ acknowledged, inFlight }),
    add: (batch) => {
      batches.push(batch)
      pump()
    },
    forget: (batch) => {
      const i = batches.indexOf(batch)
      if (i >= inFlight) batches.splice(i, 1)
    },
    takeAll: () => {
      reading = null
      return batches.splice(0)
    },
  }
}
