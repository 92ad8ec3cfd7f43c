/**
 * CSI batches in, one acknowledgement for each, in order: `CsiIngestService.StreamCsi`, and the incoming side of `ProcessCsi`.
 *
 * A message to an actor costs more than the arithmetic of a small batch. Therefore batches that arrive while their router is busy are
 * delivered together: a busy node sends fewer messages.
 *
 * Invariants:
 * 1. At most `creditMax` batches of a stream are in flight. Beyond that the stream is not read, and flow control stops the sender.
 * 2. Batches of one router reach it in order of arrival, one message after the other. Routers do not wait for each other.
 * 3. A rejected batch never ends the stream.
 */
import { type Cause, Deferred, Effect, Pull, Queue, Result, type Scope } from "effect"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { type Arrival, creditMax, type IngestTogether, readArrival } from "../ingest/ingest.ts"
import { GoingAway } from "./status.ts"

/** The incoming side of a call. */
interface Incoming {
  on(event: "data", listener: (message: Uint8Array) => void): unknown
  on(event: "end", listener: () => void): unknown
  off(event: "data", listener: (message: Uint8Array) => void): unknown
  pause(): unknown
  resume(): unknown
}

/** A stream of messages with a batch each. */
interface IngestStream {
  readonly call: Incoming
  /** The encoded batch of a message. */
  readonly batchOf: (message: Uint8Array) => Uint8Array
  /** Sends an acknowledgement, and waits for the reader. */
  readonly acknowledge: (ack: IngestAck) => Effect.Effect<void>
}

/** Maximum size of batches that are delivered together, because messages between nodes have a size limit. */
const togetherBytesMax = 1024 * 1024

/** Serves an authorised stream until the client has ended it and all batches are acknowledged, or until `draining` is done. */
export const serveIngest = Effect.fnUntraced(
  function* (
    { acknowledge, batchOf, call }: IngestStream,
    ingest: IngestTogether,
    draining: Deferred.Deferred<void>,
  ): Effect.fn.Return<void, GoingAway, Scope.Scope> {
    const answers = yield* Queue.unbounded<Deferred.Deferred<IngestAck>, Cause.Done>()
    const lines = yield* makeLines(ingest)
    let inFlight = 0
    let reading = true
    const receive = (message: Uint8Array): void => {
      if (++inFlight >= creditMax) call.pause()
      Queue.offerUnsafe(answers, lines.join(batchOf(message)))
    }
    const acknowledged = (ack: IngestAck) =>
      Effect.map(acknowledge(ack), () => {
        if (inFlight-- >= creditMax && reading) call.resume()
      })
    const stop = () => {
      reading = false
      call.off("data", receive)
      call.pause()
      Queue.endUnsafe(answers)
    }
    call.on("data", receive)
    call.on("end", stop)
    yield* Effect.forkScoped(lines.serve)
    yield* Effect.forkScoped(Effect.map(Deferred.await(draining), stop))
    // A loop, because a Stream costs more than an acknowledgement.
    yield* Queue.take(answers).pipe(
      Effect.flatMap(Deferred.await),
      Effect.flatMap(acknowledged),
      Effect.forever,
      Pull.catchDone(() => Effect.void),
    )
    if (Deferred.isDoneUnsafe(draining)) return yield* GoingAway.now
  },
  Effect.scoped,
)

/** A batch that waits for its router. */
interface Waiting {
  readonly arrival: Arrival<Uint8Array>
  readonly answer: Deferred.Deferred<IngestAck>
}

/** Removes the batches that are delivered to the router together next. */
const takeTogether = (waiting: Array<Waiting>): ReadonlyArray<Waiting> => {
  let count = 0
  let bytes = 0
  while (count < waiting.length && (count === 0 || bytes + waiting[count]!.arrival.batch.length <= togetherBytesMax)) {
    bytes += waiting[count++]!.arrival.batch.length
  }
  return waiting.splice(0, count)
}

/** The lines of one stream: one for each router with batches in flight, so at most `creditMax`. */
const makeLines = Effect.fnUntraced(function* (ingest: IngestTogether) {
  const lines = new Map<string, Array<Waiting>>()
  const begun = yield* Queue.unbounded<string>()
  /** Appends a batch to its router's line and returns its future acknowledgement. */
  const join = (bytes: Uint8Array): Deferred.Deferred<IngestAck> => {
    const answer = Deferred.makeUnsafe<IngestAck>()
    const arrival = readArrival(bytes)
    if (Result.isFailure(arrival)) {
      Deferred.doneUnsafe(answer, Effect.succeed(arrival.failure))
      return answer
    }
    const { routerId } = arrival.success
    const line = lines.get(routerId)
    if (line === undefined) {
      lines.set(routerId, [{ arrival: arrival.success, answer }])
      Queue.offerUnsafe(begun, routerId)
    } else line.push({ arrival: arrival.success, answer })
    return answer
  }
  const serveLine = Effect.fnUntraced(function* (routerId: string) {
    const line = lines.get(routerId)!
    while (line.length > 0) {
      const together = takeTogether(line)
      const acks = yield* ingest(routerId, together.map(({ arrival }) => arrival))
      for (const [i, { answer }] of together.entries()) Deferred.doneUnsafe(answer, Effect.succeed(acks[i]!))
    }
    lines.delete(routerId)
  })
  // Each line has a batch in flight, so there are at most `creditMax` fibers.
  const scope = yield* Effect.scope
  const serve = Queue.take(begun).pipe(
    Effect.flatMap((routerId) => Effect.forkIn(serveLine(routerId), scope)),
    Effect.forever,
  )
  return { join, serve }
})
