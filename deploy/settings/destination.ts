/**
 * The gRPC edge of a service: sources send to it, and egress processes read from it.
 */

/** PEM files of the connection. */
export interface ChannelFiles {
  /** The authority that signed the server's certificate; null: plain text. */
  readonly caFile: string | null
  /** The client's certificate and its key, for a service that requests one. */
  readonly certFile: string | null
  readonly keyFile: string | null
}

export interface Destination extends ChannelFiles {
  /** `grpc://host:port`. */
  readonly to: string
}

/** The `host:port` of a service; null for other texts, such as the name of a file. */
export const serviceAddress = (to: string): string | null => /^(?:grpc:\/\/)?([^/]+:\d+)\/?$/.exec(to)?.[1] ?? null
