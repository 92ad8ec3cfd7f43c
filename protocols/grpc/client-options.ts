/**
 * Options of every gRPC client within the service and its commands, and the reason for each.
 *
 * Boundary: message sizes, keepalive and back-off are set by each client. The client for integrators (`protocols/clients/typescript`) does not
 * use this file, because it is copied alone.
 */
import "./deno-http2.ts"

export const clientOptions = {
  // grpc-js 1.14 repeats a call on a connection that has just ended, at once and without a bound, until a timer detects the end. The attempts
  // are promises, so no timer ever runs: the process hangs, and its heap grows by 75 MB/s. Every caller has a back-off of its own.
  "grpc.enable_retries": 0,
  // Each client opens its own connection: one that ended without being detected by grpc-js would be shared with the next client.
  "grpc.use_local_subchannel_pool": 1,
} as const
