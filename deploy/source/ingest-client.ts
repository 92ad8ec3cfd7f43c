/**
 * A client of `CsiIngestService.StreamCsi`, like that of a router: flow control by credit, resumption, and streams to each node that has its
 * routers.
 *
 * It sends to the address that it was given. A node that hands batches on to another says so (`IngestAck.nodeAddress`); then those of that
 * router go there, which spares the cluster a copy.
 *
 * Invariants: a call returns when its batch is acknowledged, so its callers bound the batches that are held; the batches of a router are sent in
 * order, and all again that were unacknowledged when their stream broke; a router whose batches are not acknowledged delays no other
 * (`ingest-streams.ts`); an address that fails costs no batch.
 */
import { Deferred, Effect, type Scope } from "effect"
import { endReason, isPermanent } from "../../gateways/grpc/connection-failure.ts"
import { readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import { backOffMsMax, backOffMsMin, type IngestClientOptions, openChannel, openStream } from "./ingest-channel.ts"
import { makeLanes } from "./ingest-lanes.ts"
import { makeNodes } from "./ingest-nodes.ts"
import { streamsMaker } from "./ingest-streams.ts"
import { type Held, IngestRefused } from "./ingest-window.ts"
import type { Send } from "./delivery.ts"

/** The router of a batch; none, if the batch cannot be read. */
const routerOf = (bytes: Uint8Array): string => {
  const envelope = readCsiBatchEnvelope(bytes)
  return envelope._tag === "Success" ? envelope.success.routerId : ""
}

/** Connects, and reconnects until the scope closes. */
export const connectIngest = Effect.fnUntraced(function* (
  options: IngestClientOptions,
): Effect.fn.Return<Send<IngestRefused>, never, Scope.Scope> {
  const client = yield* openChannel(options, options.address)
  const ended = yield* Deferred.make<never, IngestRefused>()
  const makeStreams = yield* streamsMaker
  const given = makeStreams()
  const lanes = makeLanes(given)
  const follow = yield* makeNodes(options, makeStreams, given, lanes)

  const stayConnected = Effect.gen(function* () {
    let backOffMs = backOffMsMin
    while (true) {
      const { acknowledged, status } = yield* given.run(() => openStream(client, options))
      if (isPermanent(status)) return yield* new IngestRefused({ message: status.details })
      backOffMs = acknowledged > 0 ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
      yield* Effect.logWarning(
        "the service does not take CSI; trying again",
        { address: options.address, reason: endReason(status), waiting_batches: given.waiting() },
      )
      yield* Effect.sleep(backOffMs)
    }
  })
  yield* Effect.forkScoped(Effect.catch(stayConnected, (refused) => Deferred.fail(ended, refused)))

  return (bytes) =>
    Effect.suspend(() => {
      const batch: Held = { routerId: routerOf(bytes), bytes, acknowledged: Deferred.makeUnsafe() }
      lanes.add(batch)
      return Effect.raceFirst(Deferred.await(batch.acknowledged), Deferred.await(ended)).pipe(
        Effect.ensuring(Effect.sync(() => lanes.done(batch))),
        Effect.tap((ack) => follow(batch.routerId, ack)),
      )
    })
})
