/**
 * Ingest: hands an encoded CSI batch to the Router actor of its router and answers what became of it.
 *
 * Every way in ends here: the gRPC stream, datagrams, a replay or a simulation within this process. Bytes are passed on
 * unchanged. Invariant: it never fails; a batch that nobody took is an acknowledgement with an error code.
 */
import { Cause, Effect, Result } from "effect"
import type { Sharding } from "effect/cluster"
import { readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import type { IngestAck, IngestErrorCode } from "../../protocols/grpc/ingest-ack.ts"
import { brokeItsActor } from "../../protocols/messages/escalations.ts"
import { Router } from "../../protocols/messages/router.ts"

/** Takes an encoded batch and answers when its router has dealt with it. */
export type Ingest = (bytes: Uint8Array) => Effect.Effect<IngestAck>

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

/** Makes the way to the routers of this cluster. */
export const makeIngest: Effect.Effect<Ingest, never, Sharding.Sharding> = Effect.gen(function* () {
  const client = yield* Router.client
  return (bytes) => {
    const envelope = readCsiBatchEnvelope(bytes)
    if (Result.isFailure(envelope)) return Effect.succeed(refusal(0, "invalid_batch", envelope.failure.message))
    const { batchSequence, routerId } = envelope.success
    return client(routerId).Ingest({ batch: bytes }).pipe(
      Effect.timeout(routerTimeout),
      Effect.map(({ acceptedFrames, droppedFrames, dropReason }): IngestAck => ({
        batchSequence,
        acceptedFrames,
        droppedFrames,
        reason: dropReason,
        errorCode: null,
        credit: creditMax,
      })),
      Effect.catchCause((cause) => {
        const failure = Cause.findErrorOption(cause)
        if (failure._tag === "Some") {
          const { _tag, message } = failure.value
          if (_tag === "UnknownRouter") return Effect.succeed(refusal(batchSequence, "unknown_router", message))
          if (_tag === "InvalidBatch") return Effect.succeed(refusal(batchSequence, "invalid_batch", message))
        }
        if (brokeItsActor(cause)) {
          const reason = `Router "${routerId}" could not process this batch; it was dropped.`
          return Effect.as(Effect.logError(reason, cause), refusal(batchSequence, "invalid_batch", reason))
        }
        return Effect.as(
          Effect.logDebug("A router did not take a batch", routerId, cause),
          refusal(batchSequence, "unavailable", `Router "${routerId}" cannot be reached at the moment. Send it again.`),
        )
      }),
    )
  }
})
