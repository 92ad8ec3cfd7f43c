/** Clients of the gRPC edge, which keep received messages. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { csiIngestService, posesService } from "../../../protocols/grpc/services.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

export const metadata = (entries: Record<string, string>): grpc.Metadata => {
  const result = new grpc.Metadata()
  for (const [key, value] of Object.entries(entries)) result.set(key, value)
  return result
}

const operator = metadata({ "x-api-key": "operator" })

/** @param certPem of a server that speaks TLS as `localhost` */
export const withClient = <A>(
  port: number,
  use: (client: grpc.Client) => Effect.Effect<A>,
  certPem: string | null = null,
): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      certPem === null
        ? new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
        : new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createSsl(Buffer.from(certPem)), {
          "grpc.ssl_target_name_override": "localhost",
        })
    ),
    use,
    (client) => Effect.sync(() => client.close()),
  )

/** How a call ended; null until it has. */
const endOf = (call: grpc.ClientReadableStream<unknown>): { readonly status: grpc.StatusObject | null } => {
  const result: { status: grpc.StatusObject | null } = { status: null }
  call.on("error", () => {})
  call.on("status", (status) => result.status = status)
  return result
}

/** Opens an ingest stream; acknowledgements and the final status are collected. */
export const openIngest = (client: grpc.Client, credentials = operator) => {
  const { path, requestSerialize, responseDeserialize } = csiIngestService.Stream
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, credentials)
  const acks: Array<IngestAck> = []
  call.on("data", (ack: IngestAck) => acks.push(ack))
  return { call, acks, result: endOf(call) }
}

export const openWatch = (
  client: grpc.Client,
  environmentId: string,
  credentials = operator,
  afterFrameId: number | null = null,
) => {
  const { path, requestSerialize, responseDeserialize } = posesService.Watch
  const call = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    { environmentId, afterFrameId },
    credentials,
  )
  const frames: Array<Uint8Array> = []
  call.on("data", (bytes: Uint8Array) => frames.push(bytes))
  return { call, frames, result: endOf(call) }
}

export const getLatest = (client: grpc.Client, environmentId: string, credentials = operator) =>
  Effect.callback<{ readonly code: grpc.status; readonly details: string; readonly bytes?: Uint8Array }>((resume) => {
    const { path, requestSerialize, responseDeserialize } = posesService.GetLatest
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { environmentId },
      credentials,
      (error, bytes) =>
        resume(Effect.succeed(
          error === null
            ? { code: grpc.status.OK, details: "", bytes: bytes! }
            : { code: error.code, details: error.details },
        )),
    )
  })

export const batch = (routerId: string, sequence: number) => encodeCsiBatch(exampleBatch(routerId, sequence))
