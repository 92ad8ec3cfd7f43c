/**
 * The gRPC edge of a service: sources send to it, and egress processes read from it.
 */

export interface Destination {
  /** `grpc://host:port`. */
  readonly to: string
  /** PEM file of the authority that signed the server's certificate; null: plain text. */
  readonly caFile: string | null
}

/** The `host:port` of a service; null for other texts, such as the name of a file. */
export const serviceAddress = (to: string): string | null => /^(?:grpc:\/\/)?([^/]+:\d+)\/?$/.exec(to)?.[1] ?? null
