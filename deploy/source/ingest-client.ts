/**
 * A client of `CsiIngestService.StreamCsi`, like that of a router: one stream, flow control by credit, and resumption.
 *
 * Invariants:
 * 1. At most as many batches as the server's last credit are in flight; at most `heldMax` are held.
 * 2. When the stream breaks, all unacknowledged batches are sent again, in order, on the next one. So a batch may reach its
 *    router twice. The router recognises it by its times.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Deferred, Effect, Redacted, type Scope, Semaphore } from "effect"
import { channelCredentials, type ChannelTls } from "../../gateways/grpc/client-credentials.ts"
import { endReason } from "../../gateways/grpc/connection-failure.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { csiIngestService, messageBytesMax } from "../../protocols/grpc/services.ts"
import type { Send } from "./play.ts"

interface IngestClientOptions extends ChannelTls {
  /** `host:port` of a node. */
  readonly address: string
  /** An API key with the permission `process`. */
  readonly apiKey: Redacted.Redacted
}

/** The server rejects this client. A retry does not help. */
class IngestRefused extends Data.TaggedError("IngestRefused")<{ readonly message: string }> {}

const heldMax = 64
/** Credit before the server sends its own. */
const initialCredit = 16
const backOffMsMin = 50
const backOffMsMax = 5_000

const channelOptions: grpc.ClientOptions = {
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.max_send_message_length": messageBytesMax,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  // This client has its own back-off.
  "grpc.initial_reconnect_backoff_ms": backOffMsMin,
  "grpc.max_reconnect_backoff_ms": backOffMsMax,
}

const permanent: ReadonlyArray<grpc.status> = [
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNIMPLEMENTED,
]

type IngestCall = grpc.ClientDuplexStream<Uint8Array, IngestAck>

/** A batch, held until it is acknowledged. */
interface Held {
  readonly bytes: Uint8Array
  readonly acknowledged: Deferred.Deferred<IngestAck, IngestRefused>
}

/** Connects, and reconnects until the scope closes. */
export const connectIngest = Effect.fnUntraced(function* (
  options: IngestClientOptions,
): Effect.fn.Return<Send<IngestRefused>, never, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new grpc.Client(options.address, channelCredentials(options), channelOptions)),
    (client) => Effect.sync(() => client.close()),
  )
  const held = yield* Semaphore.make(heldMax)
  const ended = yield* Deferred.make<never, IngestRefused>()
  const window = makeWindow()

  const open = (): IngestCall => {
    const metadata = new grpc.Metadata()
    metadata.set("x-api-key", Redacted.value(options.apiKey))
    const { path, requestSerialize, responseDeserialize } = csiIngestService.StreamCsi
    return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata)
  }

  const stayConnected = Effect.gen(function* () {
    let backOffMs = backOffMsMin
    while (true) {
      const { acknowledged, status } = yield* window.run(open)
      if (permanent.includes(status.code)) return yield* new IngestRefused({ message: status.details })
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
      window.add(batch)
      return Effect.raceFirst(Deferred.await(batch.acknowledged), Deferred.await(ended)).pipe(
        Effect.ensuring(Effect.sync(() => window.forget(batch))),
      )
    }))
})

/** The held batches and their stream. */
const makeWindow = () => {
  /** Acknowledged in this order. The first `onTheWay` are written to the current stream. */
  const batches: Array<Held> = []
  let onTheWay = 0
  let credit = initialCredit
  let writing: IngestCall | null = null
  let reading: IngestCall | null = null

  const pump = (): void => {
    for (; writing !== null && onTheWay < credit && onTheWay < batches.length; onTheWay++) {
      writing.write(batches[onTheWay]!.bytes)
    }
  }

  const stopWriting = (): void => {
    writing = null
    onTheWay = 0
  }

  /** Processes an acknowledgement. Returns whether its batch was still held. */
  const settle = (call: IngestCall, ack: IngestAck): boolean => {
    // The last ones may arrive after the status of their stream, and must not be counted on the next.
    const batch = reading === call ? batches.shift() : undefined
    if (batch === undefined) return false
    if (writing === call) onTheWay--
    credit = Math.max(1, ack.credit)
    Deferred.doneUnsafe(batch.acknowledged, Effect.succeed(ack))
    pump()
    return true
  }

  /** Switches to a new stream. */
  const run = (open: () => IngestCall) =>
    Effect.callback<{ readonly status: grpc.StatusObject; readonly acknowledged: number }>((resume) => {
      let acknowledged = 0
      const call = open()
      call.on("data", (ack: IngestAck) => {
        if (settle(call, ack)) acknowledged++
      })
      call.on("error", () => {})
      call.on("status", (status: grpc.StatusObject) => {
        stopWriting()
        resume(Effect.succeed({ status, acknowledged }))
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
    add: (batch: Held): void => {
      batches.push(batch)
      pump()
    },
    /** A batch whose caller was interrupted is not sent, unless it is already in flight. */
    forget: (batch: Held): void => {
      const i = batches.indexOf(batch)
      if (i >= onTheWay) batches.splice(i, 1)
    },
  }
}
