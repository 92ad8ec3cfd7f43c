/**
 * Implements `EdgeFeed` in a separate process: a client of the service's gRPC edge.
 *
 * The service's gate has released the records to gRPC; here they pass the gate again for the destination of this process. The stream is
 * opened again with back-off while it has a watcher. It ends for good in two cases only: the gate rejects a record, or the service rejects
 * the credentials.
 */
import * as grpc from "@grpc/grpc-js"
import { Cause, Clock, Data, Effect, Layer, Queue, Redacted, Stream } from "effect"
import { gate } from "../../core/privacy/gate.ts"
import type { Destination } from "../../core/privacy/privacy-class.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { decodeEdgeRecords, decodeEdgeUpdate } from "../../protocols/grpc/edge-record.ts"
import { edgeService } from "../../protocols/grpc/services.ts"
import { ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import { channelCredentials, type ChannelTls, edgeOptions } from "../grpc/client-credentials.ts"
import { endReason, isPermanent } from "../grpc/connection-failure.ts"
import { release } from "./release.ts"

interface RemoteFeedOptions extends ChannelTls {
  /** `host:port` of a node's gRPC edge. */
  readonly address: string
  /** An API key with the scope `read:poses`. */
  readonly apiKey: Redacted.Redacted
}

/** Updates that wait for a slow reader. The oldest are dropped first. */
const bufferedMax = 4096
const backOffMsMin = 50
const backOffMsMax = 5_000
const listMsMax = 5_000

const channelOptions: grpc.ClientOptions = {
  ...edgeOptions,
  "grpc.initial_reconnect_backoff_ms": backOffMsMin,
  "grpc.max_reconnect_backoff_ms": backOffMsMax,
}

/** The stream of a call ended. */
class Ended extends Data.TaggedError("Ended")<{ readonly status: grpc.StatusObject }> {
  constructor(status: grpc.StatusObject) {
    super({ status })
  }
}

/** Decodes a message. A service of another version may send unreadable ones. */
const read = <A>(decode: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({
    try: decode,
    catch: (cause) =>
      new StoreUnavailable({
        message: `The service sent an unreadable edge record: ${cause}. Use the same version of both.`,
      }),
  })

/** The failure for a rejected class, with the reason that the gate gives for this destination. */
const refusalOf = (
  nodeId: string,
  privacyClass: EdgeRecord["privacyClass"],
  destination: Destination,
): ClassRefused => {
  const verdict = gate({}, privacyClass, destination)
  return ClassRefused.of(
    nodeId,
    verdict.decision === "refuse"
      ? verdict.refusal
      : { privacyClass, destination, reason: "The service's privacy gate rejected it." },
  )
}

/** One stream of encoded updates. Fails with the status that ended it. */
const updates = (client: grpc.Client, metadata: grpc.Metadata): Stream.Stream<Uint8Array, Ended> =>
  Stream.callback<Uint8Array, Ended>(
    (queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const { path, requestSerialize, responseDeserialize } = edgeService.WatchEdge
          const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {}, metadata)
          call.on("data", (bytes: Uint8Array) => Queue.offerUnsafe(queue, bytes))
          call.on("error", () => {})
          call.on("status", (status: grpc.StatusObject) => Queue.failCauseUnsafe(queue, Cause.fail(new Ended(status))))
          return call
        }),
        (call) => Effect.sync(() => call.cancel()),
      ),
    { bufferSize: bufferedMax, strategy: "sliding" },
  )

/** The encoded list of the newest record of every node. */
const list = (client: grpc.Client, metadata: grpc.Metadata): Effect.Effect<Uint8Array, StoreUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.callback<Uint8Array, StoreUnavailable>((resume) => {
      const { path, requestSerialize, responseDeserialize } = edgeService.ListEdge
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        {},
        metadata,
        { deadline: nowMs + listMsMax },
        (error, bytes) =>
          resume(
            error === null ? Effect.succeed(bytes!) : Effect.fail(new StoreUnavailable({ message: error.details })),
          ),
      )
      return Effect.sync(() => call.cancel())
    }))

/** The record of an update, released to this destination; fails with `ClassRefused`. */
const released = <D extends Destination>(bytes: Uint8Array, destination: D) =>
  Effect.flatMap(
    read(() => decodeEdgeUpdate(bytes)),
    (update) =>
      "record" in update
        ? release(update.record, destination)
        : Effect.fail(refusalOf(update.refused.nodeId, update.refused.privacyClass, destination)),
  )

const make = Effect.fnUntraced(function* ({ address, apiKey, ...tls }: RemoteFeedOptions) {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new grpc.Client(address, channelCredentials(tls), channelOptions)),
    (opened) => Effect.sync(() => opened.close()),
  )
  const metadata = new grpc.Metadata()
  metadata.set("x-api-key", Redacted.value(apiKey))

  const watch = <D extends Destination>(destination: D) => {
    let backOffMs = backOffMsMin
    const once = updates(client, metadata).pipe(
      Stream.tap(() => Effect.sync(() => backOffMs = backOffMsMin)),
      Stream.mapEffect((bytes) => released(bytes, destination)),
    )
    const again = ({ status }: Ended) => {
      if (isPermanent(status)) return Stream.fail(new StoreUnavailable({ message: status.details }))
      const delayMs = backOffMs
      backOffMs = Math.min(2 * backOffMs, backOffMsMax)
      return Stream.drain(Stream.fromEffect(Effect.andThen(
        Effect.logWarning("the service sends no edge records; trying again", { address, reason: endReason(status) }),
        Effect.sleep(delayMs),
      )))
    }
    return once.pipe(Stream.catchTag("Ended", again), Stream.forever)
  }

  return EdgeFeed.of({
    watch,
    current: Effect.fnUntraced(function* (destination) {
      const bytes = yield* list(client, metadata)
      const records = yield* read(() => decodeEdgeRecords(bytes))
      return yield* Effect.forEach(records, (record) => release(record, destination))
    }),
  })
})

/** The feed of the service at `address`. */
export const layerRemoteFeed = (options: RemoteFeedOptions): Layer.Layer<EdgeFeed> =>
  Layer.effect(EdgeFeed, make(options))
