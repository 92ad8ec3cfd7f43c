/**
 * Ingest: hands encoded CSI batches to the Router actor of their router and answers what became of each.
 *
 * Every way in ends here: the gRPC stream, datagrams, a replay or a simulation within this process. Bytes are passed on
 * unchanged. Invariant: it never fails; a batch that nobody took is an acknowledgement with an error code.
 */
import { Cause, Effect, Result } from "effect"
import type { Sharding } from "effect/cluster"
import { readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import type { IngestAck, IngestErrorCode } from "../../protocols/grpc/ingest-ack.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"
import { type IngestOutcome, Router, RouterDoors } from "../../protocols/messages/router.ts"

/** Takes an encoded batch and answers when its router has dealt with it. */
export type Ingest = (bytes: Uint8Array) => Effect.Effect<IngestAck>

/** An encoded batch whose envelope was read. */
export interface Arrival {
  readonly routerId: string
  readonly batchSequence: number
  readonly bytes: Uint8Array
}

/** Takes batches of one router in their order, in one message; answers for each when the router has dealt with all. */
export type IngestTogether = (
  routerId: string,
  arrivals: ReadonlyArray<Arrival>,
) => Effect.Effect<ReadonlyArray<IngestAck>>

/** Batches in flight on one stream. */
export const creditMax = 16
/** A router that takes longer is taken for unreachable. */
const routerTimeout = "10 seconds"

const refusal = (batchSequence: number, errorCode: IngestErrorCode, reason: string): IngestAck => ({
  batchSequence,
  acceptedFrames: 0,
  droppedFrames: 0,
  reason,
  errorCode,
  credit: creditMax,
})

/** An encoded batch as an arrival, or its refusal. */
export const readArrival = (bytes: Uint8Array): Result.Result<Arrival, IngestAck> =>
  readCsiBatchEnvelope(bytes).pipe(
    Result.map(({ batchSequence, routerId }) => ({ routerId, batchSequence, bytes })),
    Result.mapError(({ message }) => refusal(0, "invalid_batch", message)),
  )

const ackOf = ({ batchSequence }: Arrival, outcome: IngestOutcome): IngestAck =>
  "_tag" in outcome ? refusal(batchSequence, "invalid_batch", outcome.message) : {
    batchSequence,
    acceptedFrames: outcome.acceptedFrames,
    droppedFrames: outcome.droppedFrames,
    reason: outcome.dropReason,
    errorCode: null,
    credit: creditMax,
  }

/** Makes the way to the routers of this cluster. */
export const makeIngestTogether: Effect.Effect<IngestTogether, never, Sharding.Sharding | RouterDoors> = Effect.gen(
  function* () {
    const client = yield* Router.client
    const doors = yield* RouterDoors

    /** What became of batches whose router did not answer for them. */
    const refused = (
      routerId: string,
      arrivals: ReadonlyArray<Arrival>,
      cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>,
    ): Effect.Effect<ReadonlyArray<IngestAck>> => {
      const all = (errorCode: IngestErrorCode, reason: string) =>
        arrivals.map(({ batchSequence }) => refusal(batchSequence, errorCode, reason))
      const failure = Cause.findErrorOption(cause)
      if (failure._tag === "Some" && failure.value._tag === "UnknownRouter") {
        return Effect.succeed(all("unknown_router", failure.value.message))
      }
      if (brokeItsActor(cause)) {
        // Which of them it was is found out one by one: the others are taken.
        if (arrivals.length > 1) {
          return Effect.map(Effect.forEach(arrivals, (one) => together(routerId, [one])), (acks) => acks.flat())
        }
        const reason = `Router "${routerId}" could not process this batch; it was dropped.`
        return Effect.as(Effect.logError(reason, cause), all("invalid_batch", reason))
      }
      return Effect.as(
        Effect.logDebug("A router did not take a batch", routerId, cause),
        all("unavailable", `Router "${routerId}" cannot be reached at the moment. Send it again.`),
      )
    }

    const ask = (routerId: string, batches: ReadonlyArray<Uint8Array>) =>
      doors.to(routerId)?.(batches) ?? client(routerId).Ingest({ batches })

    const together: IngestTogether = (routerId, arrivals) =>
      Effect.suspend(() => ask(routerId, arrivals.map(({ bytes }) => bytes))).pipe(
        Effect.timeout(routerTimeout),
        Effect.map((outcomes) => arrivals.map((one, i) => ackOf(one, outcomes[i]!))),
        Effect.catchCause((cause) => refused(routerId, arrivals, cause)),
      )
    return together
  },
)

/** The same for one batch at a time. */
export const makeIngest: Effect.Effect<Ingest, never, Sharding.Sharding | RouterDoors> = Effect.map(
  makeIngestTogether,
  (together) => (bytes) => {
    const arrival = readArrival(bytes)
    return Result.isFailure(arrival)
      ? Effect.succeed(arrival.failure)
      : Effect.map(together(arrival.success.routerId, [arrival.success]), ([ack]) => ack!)
  },
)
