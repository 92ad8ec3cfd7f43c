/**
 * Ingest: hands CSI batches to the Router actor of their router and returns what became of each.
 *
 * Every ingest path ends here: the gRPC stream, datagrams, the pose API. Objects go to a router of this node as they are. For a router of
 * another node they are encoded, and sent with those of its site (`site-courier.ts`). Bytes are passed on unchanged.
 *
 * Invariant: it never fails; a batch that no router took has an acknowledgement with an error code.
 */
import { Cause, Duration, Effect, Result } from "effect"
import type { Sharding } from "effect/cluster"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { encodeCsiBatch, readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import { checkCsiBatch } from "../../protocols/grpc/csi-batch-checks.ts"
import type { IngestAck, IngestErrorCode } from "../../protocols/grpc/ingest-ack.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"
import { type IngestOutcome, LocalRouters, Router } from "../../protocols/messages/router.ts"
import { RouterBroke } from "../../protocols/messages/site.ts"
import { SiteElsewhere } from "../../protocols/ports/sites.ts"
import { type FarOutcomes, makeSiteCourier } from "./site-courier.ts"

/**
 * Takes a batch and returns its acknowledgement when its router has processed it. A batch given as an object is not changed afterwards,
 * and its memory is not reused.
 */
export type Ingest = (batch: CsiBatch | Uint8Array) => Effect.Effect<IngestAck>

/** A batch, as an object or encoded, with what its envelope says. */
export interface Arrival<Batch extends CsiBatch | Uint8Array = CsiBatch | Uint8Array> {
  readonly routerId: string
  readonly batchSequence: number
  readonly batch: Batch
}

/** Takes batches of one router in their order, in one message; returns an acknowledgement for each when all are processed. */
export type IngestTogether = (
  routerId: string,
  arrivals: ReadonlyArray<Arrival>,
) => Effect.Effect<ReadonlyArray<IngestAck>>

/** Batches in flight on one stream. */
export const creditMax = 16
/** A router that takes longer counts as unreachable: what it has not taken by then is too late. */
const routerTimeout = Duration.seconds(4)

const rejection = (batchSequence: number, errorCode: IngestErrorCode, reason: string): IngestAck => ({
  batchSequence,
  acceptedFrames: 0,
  droppedFrames: 0,
  reason,
  errorCode,
  credit: creditMax,
})

/** An encoded batch as an arrival, or its rejection. */
export const readArrival = (batch: Uint8Array): Result.Result<Arrival<Uint8Array>, IngestAck> =>
  readCsiBatchEnvelope(batch).pipe(
    Result.map(({ batchSequence, routerId }) => ({ routerId, batchSequence, batch })),
    Result.mapError(({ message }) => rejection(0, "invalid_batch", message)),
  )

/** A batch of this process as an arrival, or its rejection. */
const arrivalOf = (batch: CsiBatch): Result.Result<Arrival, IngestAck> =>
  checkCsiBatch(batch).pipe(
    Result.map(({ batchSequence, routerId }) => ({ routerId, batchSequence, batch })),
    Result.mapError(({ message }) => rejection(batch.batchSequence, "invalid_batch", message)),
  )

const ackOf = ({ batchSequence }: Arrival, outcome: IngestOutcome): IngestAck =>
  "_tag" in outcome ? rejection(batchSequence, "invalid_batch", outcome.message) : {
    batchSequence,
    acceptedFrames: outcome.acceptedFrames,
    droppedFrames: outcome.droppedFrames,
    reason: outcome.dropReason,
    errorCode: null,
    credit: creditMax,
  }

/** The acknowledgements of batches that their router has taken, with the address of its node if that is another one. */
const acksOf = (arrivals: ReadonlyArray<Arrival>, { nodeAddress, outcomes }: FarOutcomes): ReadonlyArray<IngestAck> => {
  const acks = arrivals.map((one, i) => ackOf(one, outcomes[i]!))
  return nodeAddress === undefined ? acks : acks.map((ack) => ({ ...ack, nodeAddress }))
}

const encodedBatchOf = ({ batch }: Arrival): Uint8Array => batch instanceof Uint8Array ? batch : encodeCsiBatch(batch)

const nearby = (outcomes: ReadonlyArray<IngestOutcome>): FarOutcomes => ({ outcomes })

type RouterFailure = Cause.Cause<{ readonly _tag: string; readonly message: string }>
type IngestServices = Sharding.Sharding | LocalRouters

/** Makes the ingest path to the routers of this cluster. */
export const makeIngestTogether: Effect.Effect<IngestTogether, never, IngestServices> = Effect.gen(
  function* () {
    const client = yield* Router.client
    const local = yield* LocalRouters
    const siteElsewhere = yield* SiteElsewhere
    const courier = yield* makeSiteCourier

    /** The acknowledgements of batches that their router did not answer. */
    const rejected = (
      routerId: string,
      arrivals: ReadonlyArray<Arrival>,
      cause: RouterFailure,
    ): Effect.Effect<ReadonlyArray<IngestAck>> => {
      const all = (errorCode: IngestErrorCode, reason: string) =>
        arrivals.map(({ batchSequence }) => rejection(batchSequence, errorCode, reason))
      const failure = Cause.findErrorOption(cause)
      if (failure._tag === "Some" && failure.value._tag === "UnknownRouter") {
        return Effect.succeed(all("unknown_router", failure.value.message))
      }
      if (brokeItsActor(cause) || failure._tag === "Some" && failure.value instanceof RouterBroke) {
        // The batches are sent one by one, to find the one that broke the router; the others are accepted.
        if (arrivals.length > 1) {
          return Effect.map(Effect.forEach(arrivals, (one) => together(routerId, [one])), (acks) => acks.flat())
        }
        const reason = `Router "${routerId}" could not process this batch; it was dropped.`
        return Effect.as(Effect.logError(reason, cause), all("invalid_batch", reason))
      }
      return Effect.as(
        Effect.logDebug(`router did not take batches id=${routerId} batches=${arrivals.length}`, cause),
        all("unavailable", `Router "${routerId}" cannot be reached at the moment. Send it again.`),
      )
    }

    const call = (
      routerId: string,
      arrivals: ReadonlyArray<Arrival>,
    ): Effect.Effect<FarOutcomes, Cause.Cause.Error<RouterFailure>> => {
      const here = local.to(routerId)
      if (here !== null) return Effect.map(here(arrivals.map(({ batch }) => batch)), nearby)
      const batches = arrivals.map(encodedBatchOf)
      const siteId = siteElsewhere(routerId)
      return siteId === null
        ? Effect.map(client(routerId).Ingest({ batches }), nearby)
        : courier(siteId, { routerId, batches })
    }

    const together: IngestTogether = (routerId, arrivals) =>
      Effect.suspend(() => call(routerId, arrivals)).pipe(
        Effect.timeout(routerTimeout),
        Effect.map((taken) => acksOf(arrivals, taken)),
        Effect.catchCause((cause) => rejected(routerId, arrivals, cause)),
      )
    return together
  },
)

/** Takes batches of any routers; those of one router in their order, in one message. Returns their acknowledgements in order. */
export type IngestMany = (batches: ReadonlyArray<CsiBatch | Uint8Array>) => Effect.Effect<ReadonlyArray<IngestAck>>

export const makeIngestMany: Effect.Effect<IngestMany, never, IngestServices> = Effect.map(
  makeIngestTogether,
  (together) =>
    Effect.fnUntraced(function* (batches) {
      const acks: Array<IngestAck> = []
      const arrivals = batches.flatMap((batch, place) => {
        const arrival = batch instanceof Uint8Array ? readArrival(batch) : arrivalOf(batch)
        if (Result.isSuccess(arrival)) return [{ ...arrival.success, place }]
        acks[place] = arrival.failure
        return []
      })
      const ofRouter = Map.groupBy(arrivals, ({ routerId }) => routerId)
      yield* Effect.forEach(ofRouter, ([routerId, own]) =>
        Effect.map(together(routerId, own), (answers) => {
          for (const [i, { place }] of own.entries()) acks[place] = answers[i]!
        }), { concurrency: "unbounded", discard: true })
      return acks
    }),
)

/** An ingest of one batch at a time. */
export const makeIngest: Effect.Effect<Ingest, never, IngestServices> = Effect.map(
  makeIngestMany,
  (ingest) => (batch) => Effect.map(ingest([batch]), ([ack]) => ack!),
)
