/**
 * The gRPC client: all services of `wavepose.v1`, typed, and pose frames with every frame once and in order although connections fail. It
 * needs the packages `@grpc/grpc-js` and `protobufjs`, and runs on Deno and Node >= 22.19.
 */
export { type CallOptions, createGrpcClient, type GrpcClient, type GrpcOptions } from "./grpc-client.ts"
export { type GrpcPoseFilters, grpcPoseStream } from "./grpc-stream.ts"
export { WaveposeError } from "./error.ts"
export type * from "./generated/grpc.ts"
