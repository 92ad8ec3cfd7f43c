/**
 * Options that every gRPC client of this project has, and the reason for each.
 *
 * Boundary: sizes, pings and back-off are the client's own.
 */
import "./deno-http2.ts"

export const clientOptions = {
  // A call whose connection has just died is tried again within grpc-js, at once and without end, until a timer notices the death. The tries
  // are promises, so no timer ever runs: the process hangs and its heap grows by 75 MB/s (grpc-js 1.14). Every caller has a back-off of its own.
  "grpc.enable_retries": 0,
  // A connection that is dead without grpc-js's knowledge is not shared with the next client, which opens its own.
  "grpc.use_local_subchannel_pool": 1,
} as const
