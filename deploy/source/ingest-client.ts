/**
 * The client side of `CsiIngest.Stream`, as a router would write it: one stream, a window of credit, resumption.
 *
 * Invariants:
 * 1. At most as many batches as the server's last credit are on the way; at most `heldMax` are held.
 * 2. When the stream breaks, everything not acknowledged is sent again, in order, on the next one. A batch may so reach
 *    its router twice; the router knows it by its times.
 */
import * as grpc from "@grpc/grpc-js"
import { Data, Deferred, Effect, Redacted, type Scope, Semaphore } from "effect"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { csiIngestService, messageBytesMax } from "../../protocols/grpc/services.ts"
import type { Send } from "./play.ts"

interface IngestClientOptions {
  /** `host:port` of a node. */
  readonly address: string
  /** An API key with the permission `process`. */
  readonly apiKey: Redacted.Redacted
  /** Certificate of the authority that signed the server's; null speaks plain text, which is meant for loopback. */
  readonly rootCertPem: string | null
}

/** The server does not let this client in; trying again is of no use. */
class IngestRefused extends Data.TaggedError("IngestRefused")<{ readonly message: string }> {}

const heldMax = 64
/** Until the server has named its own. */
const initialCredit = 16
const backOffMsMin = 50
const backOffMsMax = 5_000

const channelOptions: grpc.ClientOptions = {
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.max_send_message_length": messageBytesMax,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  // This client has a back-off of its own.
  "grpc.initial_reconnect_backoff_ms": backOffMsMin,
  "grpc.max_reconnect_backoff_ms": backOffMsMax,
}

const permanent: ReadonlyArray<grpc.status> = [
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNIMPLEMENTED,
]

type IngestCall = grpc.ClientDuplexStream<Uint8Array, IngestAck>

/** A batch that is held until it is acknowledged. */
interface Held {
  readonly bytes: Uint8Array
  readonly acknowledged: Deferred.Deferred<IngestAck, IngestRefused>
}

/** Connects, and stays connected until the scope closes. */
export const connectIngest = Effect.fnUntraced(function* (
  options: IngestClientOptions,
): Effect.fn.Return<Send<IngestRefused>, never, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new grpc.Client(options.address, credentialsOf(options), channelOptions)),
    (client) => Effect.sync(() => client.close()),
  )
  const held = yield* Semaphore.make(heldMax)
  const ended = yield* Deferred.make<never, IngestRefused>()
  const window = makeWindow()

  const open = (): IngestCall => {
    const metadata = new grpc.Metadata()
    metadata.set("x-api-key", Redacted.value(options.apiKey))
    const { path, requestSerialize, responseDeserialize } = csiIngestService.Stream
    return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata)
  }

  const stayConnected = Effect.gen(function* () {
    let backOffMs = backOffMsMin
    while (true) {
      const { acknowledged, status } = yield* window.run(open)
      if (permanent.includes(status.code)) return yield* new IngestRefused({ message: status.details })
      backOffMs = acknowledged > 0 ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
      yield* Effect.logInfo(
        `The stream to ${options.address} ended (${status.details}); ${window.waiting()} batches wait for the next one`,
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

const credentialsOf = ({ rootCertPem }: IngestClientOptions): grpc.ChannelCredentials =>
  rootCertPem === null ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(Buffer.from(rootCertPem))

/** The batches that are held, and the stream that they are on. */
const makeWindow = () => {
  /** Acknowledged in this order; the first `onTheWay` have been written to the stream that is open for writing. */
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

  /** Takes an acknowledgement; whether it was of a batch that is still held. */
  const settle = (call: IngestCall, ack: IngestAck): boolean => {
    // The last ones may come after the status of their stream, but must not be counted on the next.
    const batch = reading === call ? batches.shift() : undefined
    if (batch === undefined) return false
    if (writing === call) onTheWay--
    credit = Math.max(1, ack.credit)
    Deferred.doneUnsafe(batch.acknowledged, Effect.succeed(ack))
    pump()
    return true
  }

  /** Uses a new stream until it ends. */
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
    /** A batch that nobody waits for any more is not sent, unless it is already on the way. */
    forget: (batch: Held): void => {
      const i = batches.indexOf(batch)
      if (i >= onTheWay) batches.splice(i, 1)
    },
  }
}
