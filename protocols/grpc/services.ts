/**
 * The public gRPC services as data: paths and codecs.
 *
 * Batches, records and messages are encoded and decoded elsewhere; here they pass as bytes. So do requests at the server, which answers an
 * unreadable one itself. Boundary: the handlers are in `gateways/grpc`.
 */
import "./deno-http2.ts"
import type * as grpc from "@grpc/grpc-js"
import { operationList } from "./contract/operations.ts"
import { streams } from "./contract/streams.ts"
import { decodeIngestAck, encodeIngestAck, type IngestAck } from "./ingest-ack.ts"

/** Maximum message size of servers and clients of these services. */
export const messageBytesMax = 16 * 1024 * 1024

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const sameBytes = (bytes: Buffer): Uint8Array => bytes

/** CSI ingest: encoded batches in, one acknowledgement for each, in order. */
export const csiIngestService = {
  StreamCsi: {
    path: "/wavepose.v1.CsiIngestService/StreamCsi",
    requestStream: true,
    responseStream: true,
    requestSerialize: bufferOf,
    requestDeserialize: sameBytes,
    responseSerialize: (ack: IngestAck) => bufferOf(encodeIngestAck(ack)),
    responseDeserialize: (bytes: Buffer): IngestAck => decodeIngestAck(bytes),
  },
} as const satisfies grpc.ServiceDefinition

/** CSI in, poses out. */
export const processService = {
  ProcessCsi: {
    path: "/wavepose.v1.ProcessService/ProcessCsi",
    requestStream: true,
    responseStream: true,
    requestSerialize: bufferOf,
    requestDeserialize: sameBytes,
    responseSerialize: bufferOf,
    responseDeserialize: sameBytes,
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
  WatchEdge: { ...edgeMethod, path: "/wavepose.v1.EdgeService/WatchEdge", responseStream: true },
  ListEdge: { ...edgeMethod, path: "/wavepose.v1.EdgeService/ListEdge", responseStream: false },
} as const satisfies grpc.ServiceDefinition

/** A method whose messages pass as bytes. */
const bytesMethod = (service: string, method: string, responseStream: boolean) => ({
  path: `/wavepose.v1.${service}/${method}`,
  requestStream: false as const,
  responseStream,
  requestSerialize: bufferOf,
  requestDeserialize: sameBytes,
  responseSerialize: bufferOf,
  responseDeserialize: sameBytes,
})

/** Copies of the batches of an environment (`recorded-csi.ts`). */
export const csiRecordingService = {
  RecordCsi: bytesMethod("CsiRecordingService", "RecordCsi", true),
} as const satisfies grpc.ServiceDefinition

/** The services of the REST operations and of the streams beside them, by full name. */
export const operationServices: ReadonlyMap<string, grpc.ServiceDefinition> = new Map(
  [...Map.groupBy([
    ...operationList.map(({ method, service }) => ({ service, method, streamed: false })),
    ...Object.values(streams).map(({ method, service }) => ({ service, method, streamed: true })),
  ], ({ service }) => service)].map(([service, methods]) => [
    `wavepose.v1.${service}`,
    Object.fromEntries(methods.map(({ method, streamed }) => [method, bytesMethod(service, method, streamed)])),
  ]),
)

/** The home-automation runtime. */
export const homeService: grpc.ServiceDefinition = Object.fromEntries(
  [
    ["ListHomeStates", false],
    ["WatchHomeStates", true],
    ["SetHomeState", false],
    ["ListHomeServices", false],
    ["CallHomeService", false],
  ].map(([method, streamed]) => [method, bytesMethod("HomeService", method as string, streamed as boolean)]),
)
