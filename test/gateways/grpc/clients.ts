/** Clients of the gRPC edge, which keep received messages. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import protobuf from "protobufjs/minimal.js"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { codecOf, type Json } from "../../../protocols/grpc/contract/transcode.ts"
import { csiIngestService, processService } from "../../../protocols/grpc/services.ts"
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
  const { path, requestSerialize, responseDeserialize } = csiIngestService.StreamCsi
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, credentials)
  const acks: Array<IngestAck> = []
  call.on("data", (ack: IngestAck) => acks.push(ack))
  return { call, acks, result: endOf(call) }
}

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes)

/** Opens a stream of a method; the answers and the final status are collected. */
export const openStream = (
  client: grpc.Client,
  service: string,
  method: string,
  request: Json,
  credentials = operator,
) => {
  const { decode } = codecOf(`${method}Response`)
  const bytes = codecOf(`${method}Request`).encode(request)
  const call = client.makeServerStreamRequest(`/wavepose.v1.${service}/${method}`, asIs, decode, bytes, credentials)
  const answers: Array<Json> = []
  call.on("data", (answer: Json) => answers.push(answer))
  return { call, answers, result: endOf(call) }
}

/** Opens a stream of CSI in and poses out. */
export const openProcess = (client: grpc.Client, credentials = operator) => {
  const { path, requestSerialize } = processService.ProcessCsi
  const call = client.makeBidiStreamRequest(path, requestSerialize, codecOf("ProcessCsiResponse").decode, credentials)
  const answers: Array<Json> = []
  call.on("data", (answer: Json) => answers.push(answer))
  const of = (member: string) => answers.flatMap((answer): ReadonlyArray<AnyFrame> => answer[member] as AnyFrame ?? [])
  return { call, acks: () => of("acknowledgement"), frames: () => of("pose_frame"), result: endOf(call) }
}

/** A message of such a stream. */
export const processMessage = (encodedBatch: Uint8Array, shown: Json = {}): Uint8Array =>
  Buffer.concat([
    protobuf.Writer.create().uint32(10).bytes(encodedBatch).finish(),
    codecOf("ProcessCsiRequest").encode(shown),
  ])

// deno-lint-ignore no-explicit-any
export type AnyFrame = any

/** Watches an environment, or all for "", from now on or after a frame id (of `after`). */
export const openWatch = (
  client: grpc.Client,
  environmentId: string,
  credentials = operator,
  afterFrameId: number | null = null,
  after = environmentId,
) => {
  const { answers, ...watch } = openStream(client, "PoseService", "WatchPoses", {
    environment_ids: environmentId === "" ? [] : [environmentId],
    after_frame_ids: afterFrameId === null ? {} : { [after]: afterFrameId },
  }, credentials)
  return { ...watch, frames: () => answers.map(({ pose_frame }): AnyFrame => pose_frame) }
}

interface Ended {
  readonly code: grpc.status
  readonly details: string
  readonly answer: Json | null
}

/** Calls a method with one answer. */
export const callUnary = (
  client: grpc.Client,
  service: string,
  method: string,
  request: Json,
  credentials = operator,
) =>
  Effect.callback<Ended>((resume) => {
    client.makeUnaryRequest(
      `/wavepose.v1.${service}/${method}`,
      asIs,
      codecOf(`${method}Response`).decode,
      codecOf(`${method}Request`).encode(request),
      credentials,
      (error, answer) =>
        resume(Effect.succeed(
          error === null
            ? { code: grpc.status.OK, details: "", answer: answer ?? null }
            : { code: error.code, details: error.details, answer: null },
        )),
    )
  })

/** The newest frame of an environment, or of all for "". */
export const getLatest = (client: grpc.Client, environmentId: string, credentials = operator) =>
  Effect.map(
    callUnary(
      client,
      "PoseService",
      "GetLatestPose",
      environmentId === "" ? {} : { environment_id: environmentId },
      credentials,
    ),
    ({ answer, ...end }) => ({ ...end, frame: answer?.["pose_frame"] as AnyFrame }),
  )

export const batch = (routerId: string, sequence: number) => encodeCsiBatch(exampleBatch(routerId, sequence))
