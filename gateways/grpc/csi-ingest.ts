/**
 * `CsiIngest.Stream`: CSI batches in, one acknowledgement for each, in order.
 *
 * Invariants:
 * 1. At most `creditMax` batches of a stream are in flight; beyond them the stream is not read, and flow control holds
 *    the sender.
 * 2. Batches of one router reach it one after the other, in the order in which they came; routers do not wait for each
 *    other.
 * 3. A batch that is refused never ends the stream.
 */
import type * as grpc from "@grpc/grpc-js"
import { type Cause, Deferred, Effect, Queue, Result, type Scope, Stream } from "effect"
import { readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { write } from "./calls.ts"
import { creditMax, type Ingest } from "./ingest.ts"
import { GoingAway } from "./status.ts"

type IngestCall = grpc.ServerDuplexStream<Uint8Array, IngestAck>

/** A batch that came in, and its place in the queue of its router. */
interface Arrival {
  readonly bytes: Uint8Array
  /** Done when the batch before it of the same router is. */
  readonly before: Deferred.Deferred<void> | null
  readonly leave: () => void
}

/** Serves an authorised stream until the client has ended it and everything is acknowledged, or `draining` is done. */
export const serveIngest = Effect.fnUntraced(
  function* (
    call: IngestCall,
    ingest: Ingest,
    draining: Deferred.Deferred<void>,
  ): Effect.fn.Return<void, GoingAway, Scope.Scope> {
    const arrivals = yield* Queue.unbounded<Arrival, Cause.Done>()
    const line = makeLine()
    let inFlight = 0
    let reading = true
    const receive = (bytes: Uint8Array): void => {
      if (++inFlight >= creditMax) call.pause()
      Queue.offerUnsafe(arrivals, { bytes, ...line(bytes) })
    }
    const acknowledge = (ack: IngestAck) =>
      Effect.map(write(call, ack), () => {
        if (inFlight-- >= creditMax && reading) call.resume()
      })
    const stop = () => {
      reading = false
      call.off("data", receive)
      call.pause()
      Queue.endUnsafe(arrivals)
    }
    call.on("data", receive)
    call.on("end", stop)
    yield* Effect.forkScoped(Effect.map(Deferred.await(draining), stop))
    yield* Stream.fromQueue(arrivals).pipe(
      Stream.mapEffect(
        ({ before, bytes, leave }) =>
          Effect.andThen(before === null ? Effect.void : Deferred.await(before), ingest(bytes)).pipe(
            Effect.ensuring(Effect.sync(leave)),
          ),
        { concurrency: creditMax },
      ),
      Stream.runForEach(acknowledge),
    )
    if (Deferred.isDoneUnsafe(draining)) return yield* GoingAway.now
  },
  Effect.scoped,
)

/** The queues of the routers of one stream: each batch learns what it has to wait for. */
const makeLine = (): (bytes: Uint8Array) => Omit<Arrival, "bytes"> => {
  const last = new Map<string, Deferred.Deferred<void>>()
  return (bytes) => {
    const envelope = readCsiBatchEnvelope(bytes)
    if (Result.isFailure(envelope)) return { before: null, leave: () => {} }
    const { routerId } = envelope.success
    const before = last.get(routerId) ?? null
    const done = Deferred.makeUnsafe<void>()
    last.set(routerId, done)
    return {
      before,
      leave: () => {
        Deferred.doneUnsafe(done, Effect.void)
        if (last.get(routerId) === done) last.delete(routerId)
      },
    }
  }
}
