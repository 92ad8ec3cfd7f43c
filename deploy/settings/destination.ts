/**
 * Where a source sends, and a way out reads from: the gRPC edge of a service.
 */

export interface Destination {
  /** `grpc://host:port`. */
  readonly to: string
  /** Certificate of the authority that signed the server's; null: plain text. */
  readonly caFile: string | null
}

/** The `host:port` of a service; null for what is none, such as a file. */
export const serviceAddress = (to: string): string | null => /^(?:grpc:\/\/)?([^/]+:\d+)\/?$/.exec(to)?.[1] ?? null
