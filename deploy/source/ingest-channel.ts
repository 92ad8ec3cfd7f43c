/** A gRPC channel of a sender to one node, and the streams that it opens there. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Redacted } from "effect"
import { channelCredentials, type ChannelTls, edgeOptions } from "../../gateways/grpc/client-credentials.ts"
import { csiIngestService, messageBytesMax } from "../../protocols/grpc/services.ts"
import { sameName } from "./ingest-trust.ts"
import type { IngestCall } from "./ingest-window.ts"

export interface IngestClientOptions extends ChannelTls {
  /** `host:port` of a node. */
  readonly address: string
  /** An API key with the scope `process:csi`. */
  readonly apiKey: Redacted.Redacted
}

export const backOffMsMin = 50
export const backOffMsMax = 5_000

const channelOptions: grpc.ClientOptions = {
  ...edgeOptions,
  "grpc.max_send_message_length": messageBytesMax,
  // The sender has its own back-off.
  "grpc.initial_reconnect_backoff_ms": backOffMsMin,
  "grpc.max_reconnect_backoff_ms": backOffMsMax,
}

/** A channel to the given address or to another that `ingest-trust.ts` allows, while the scope is open. */
export const openChannel = (options: IngestClientOptions, address: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const names = options.rootCertPem === null || address === options.address ? {} : sameName(options.address)
      return new grpc.Client(address, channelCredentials(options), { ...channelOptions, ...names })
    }),
    (client) => Effect.sync(() => client.close()),
  )

export const openStream = (client: grpc.Client, { apiKey }: IngestClientOptions): IngestCall => {
  const metadata = new grpc.Metadata()
  metadata.set("x-api-key", Redacted.value(apiKey))
  const { path, requestSerialize, responseDeserialize } = csiIngestService.StreamCsi
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata)
}
