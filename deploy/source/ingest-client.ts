/**
 * A client of `CsiIngestService.StreamCsi`, like that of a router: flow control by credit, resumption, and a stream to each node that has its
 * routers.
 *
 * It sends to the address that it was given. A node that hands batches on to another says so (`IngestAck.nodeAddress`); then those of that
 * router go there, which spares the cluster a copy.
 *
 * Invariants: at most `heldMax` batches are held; the batches of a router are sent in order, and all again that were unacknowledged when their
 * stream broke; an address that fails costs no batch.
 */
import { Deferred, Effect, type Scope, Semaphore } from "effect"
import { endReason, isPermanent } from "../../gateways/grpc/connection-failure.ts"
import { readCsiBatchEnvelope } from "../../protocols/grpc/csi-batch.ts"
import { backOffMsMax, backOffMsMin, type IngestClientOptions, openChannel, openStream } from "./ingest-channel.ts"
import { makeLanes } from "./ingest-lanes.ts"
import { makeNodes } from "./ingest-nodes.ts"
import { type Held, IngestRefused, makeWindow } from "./ingest-window.ts"
import type { Send } from "./delivery.ts"

const heldMax = 64

/** The router of a batch; batches that cannot be read share a lane, and the service rejects them. */
const routerOf = (bytes: Uint8Array): string => {
  const envelope = readCsiBatchEnvelope(bytes)
  return envelope._tag === "Success" ? envelope.success.routerId : ""
}

/** Connects, and reconnects until the scope closes. */
export const connectIngest = Effect.fnUntraced(function* (
  options: IngestClientOptions,
): Effect.fn.Return<Send<IngestRefused>, never, Scope.Scope> {
  const client = yield* openChannel(options, options.address)
  const held = yield* Semaphore.make(heldMax)
  const ended = yield* Deferred.make<never, IngestRefused>()
  const window = makeWindow()
  const lanes = makeLanes(window)
  const follow = yield* makeNodes(options, window, lanes)

  const stayConnected = Effect.gen(function* () {
    let backOffMs = backOffMsMin
    while (true) {
      const { acknowledged, status } = yield* window.run(() => openStream(client, options))
      if (isPermanent(status)) return yield* new IngestRefused({ message: status.details })
      backOffMs = acknowledged > 0 ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
      yield* Effect.logWarning(
        "the service does not take CSI; trying again",
        { address: options.address, reason: endReason(status), waiting_batches: window.waiting() },
      )
      yield* Effect.sleep(backOffMs)
    }
  })
  yield* Effect.forkScoped(Effect.catch(stayConnected, (refused) => Deferred.fail(ended, refused)))

  return (bytes) =>
    Semaphore.withPermits(held, 1)(Effect.suspend(() => {
      const batch: Held = { bytes, acknowledged: Deferred.makeUnsafe() }
      const routerId = routerOf(bytes)
      lanes.add(routerId, batch)
      return Effect.raceFirst(Deferred.await(batch.acknowledged), Deferred.await(ended)).pipe(
        Effect.ensuring(Effect.sync(() => lanes.done(routerId, batch))),
        Effect.tap((ack) => follow(routerId, ack)),
      )
    }))
})
