/** How a process of this project connects to the gRPC edge of a service. */
import * as grpc from "@grpc/grpc-js"
import { clientOptions } from "../../protocols/grpc/client-options.ts"
import { messageBytesMax } from "../../protocols/grpc/services.ts"

/** Options of every connection to the edge. A lost one is detected within 15 s. */
export const edgeOptions: grpc.ClientOptions = {
  ...clientOptions,
  "grpc.max_receive_message_length": messageBytesMax,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
}

export interface ChannelTls {
  /** PEM of the authority that signed the server's certificate; null: plain text, for loopback. */
  readonly rootCertPem: string | null
  /** Shown to a service that requests client certificates. */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string } | null
}

export const channelCredentials = ({ clientCertificate, rootCertPem }: ChannelTls): grpc.ChannelCredentials => {
  if (rootCertPem === null) return grpc.credentials.createInsecure()
  const bytesOf = (pem: string | undefined): Buffer | null => pem === undefined ? null : Buffer.from(pem)
  return grpc.credentials.createSsl(
    Buffer.from(rootCertPem),
    bytesOf(clientCertificate?.keyPem),
    bytesOf(clientCertificate?.certPem),
  )
}
