/**
 * The public gRPC services as data: paths and codecs of `wavepose/v1/csi.proto`, `poses.proto` and `edge.proto`.
 *
 * Batches and frames are encoded and decoded elsewhere; here they pass as bytes. So do requests at the server, which answers an unreadable
 * one itself. Boundary: the handlers are in `gateways/grpc`.
 */
import "./deno-http2.ts"
import type * as grpc from "@grpc/grpc-js"
import { wavepose } from "./generated/wavepose.js"
import { decodeIngestAck, encodeIngestAck, type IngestAck } from "./ingest-ack.ts"

/** Maximum message size of servers and clients of these services. */
export const messageBytesMax = 16 * 1024 * 1024

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const sameBytes = (bytes: Buffer): Uint8Array => bytes

export interface EnvironmentRequest {
  /** Empty: all environments. */
  readonly environmentId: string
}

export interface WatchRequest extends EnvironmentRequest {
  /** Stored frames after this one are sent first. Null or missing: only new frames are sent. */
  readonly afterFrameId?: number | null
}

const encodeRequest = (request: EnvironmentRequest): Buffer =>
  bufferOf(wavepose.v1.GetLatestRequest.encode(request).finish())

/** Throws if the bytes are not a request. */
export const readEnvironmentRequest = (bytes: Uint8Array): EnvironmentRequest => ({
  environmentId: wavepose.v1.GetLatestRequest.decode(bytes).environmentId,
})

const encodeWatch = (request: WatchRequest): Buffer => bufferOf(wavepose.v1.WatchRequest.encode(request).finish())

/** Throws if the bytes are not a request. */
export const readWatchRequest = (bytes: Uint8Array): WatchRequest => {
  const request = wavepose.v1.WatchRequest.decode(bytes)
  // protobufjs reads 64-bit numbers as objects.
  const { afterFrameId } = request
  return { environmentId: request.environmentId, afterFrameId: afterFrameId == null ? null : Number(afterFrameId) }
}

/** CSI ingest: encoded batches in, one acknowledgement for each, in order. */
export const csiIngestService = {
  Stream: {
    path: "/wavepose.v1.CsiIngest/Stream",
    requestStream: true,
    responseStream: true,
    requestSerialize: bufferOf,
    requestDeserialize: sameBytes,
    responseSerialize: (ack: IngestAck) => bufferOf(encodeIngestAck(ack)),
    responseDeserialize: (bytes: Buffer): IngestAck => decodeIngestAck(bytes),
  },
} as const satisfies grpc.ServiceDefinition

const environmentMethod = {
  requestStream: false,
  requestSerialize: encodeRequest,
  requestDeserialize: sameBytes,
  responseSerialize: bufferOf,
  responseDeserialize: sameBytes,
} as const

/** Poses: encoded frames. */
export const posesService = {
  GetLatest: { ...environmentMethod, path: "/wavepose.v1.Poses/GetLatest", responseStream: false },
  Watch: {
    ...environmentMethod,
    path: "/wavepose.v1.Poses/Watch",
    responseStream: true,
    requestSerialize: encodeWatch,
  },
} as const satisfies grpc.ServiceDefinition

/** An empty request. It is an object, because grpc-js treats null as no request. */
interface EdgeRequest {
  readonly [field: string]: never
}

const nothing = Buffer.alloc(0)

const edgeMethod = {
  requestStream: false,
  requestSerialize: (_: EdgeRequest) => nothing,
  requestDeserialize: sameBytes,
  responseSerialize: bufferOf,
  responseDeserialize: sameBytes,
} as const

/** Edge records: encoded records that the privacy gate released (`edge-record.ts`). */
export const edgeService = {
  Watch: { ...edgeMethod, path: "/wavepose.v1.Edge/Watch", responseStream: true },
  List: { ...edgeMethod, path: "/wavepose.v1.Edge/List", responseStream: false },
} as const satisfies grpc.ServiceDefinition
