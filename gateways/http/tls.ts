/**
 * TLS of the HTTP edges: a server with a certificate that is replaced while it runs. Open connections keep the certificate that they began with.
 */
import { Data, Effect, Stream } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { hostPort } from "../../protocols/domain/host-port.ts"
import { serverLimits } from "./http-listener.ts"

/** A certificate with its chain, and its key, in PEM. */
export interface Certificate {
  readonly certPem: string
  readonly keyPem: string
  /** The authorities of client certificates; absent: none are requested. */
  readonly clientCaPem?: string
}

/** A certificate, and those that replace it. */
export interface CertificateSource {
  readonly current: Certificate
  /** The stream does not end. */
  readonly changes: Stream.Stream<Certificate>
}

/** The certificate and the key are unreadable, or do not belong together. */
class CertificateInvalid extends Data.TaggedError("CertificateInvalid")<{ readonly message: string }> {}

/** What a TLS server needs of a certificate. */
export const secureContextOf = ({ certPem, clientCaPem, keyPem }: Certificate) => ({
  cert: certPem,
  key: keyPem,
  minVersion: "TLSv1.2" as const,
  ...(clientCaPem === undefined ? {} : { ca: clientCaPem }),
})

/** Throws if a text is not the PEM of a certificate or a key. */
const isKeyOf = ({ certPem, clientCaPem = certPem, keyPem }: Certificate): boolean => {
  const [own] = [certPem, clientCaPem].map((pem) => new X509Certificate(pem))
  return own!.checkPrivateKey(createPrivateKey(keyPem))
}

/** Fails unless TLS can be served with this certificate. Deno's TLS accepts an unusable one without an error. */
export const checkCertificate = (certificate: Certificate): Effect.Effect<void, CertificateInvalid> =>
  Effect.try({
    try: () => isKeyOf(certificate),
    catch: (cause) => new CertificateInvalid({ message: cause instanceof Error ? cause.message : String(cause) }),
  }).pipe(Effect.flatMap((matches) =>
    matches
      ? Effect.void
      : Effect.fail(new CertificateInvalid({ message: "the key does not belong to the certificate" }))
  ))

/** E.g. `https://127.0.0.1:8000`. */
export const edgeUrl = (tls: CertificateSource | null, host: string, port: number): string =>
  `${tls === null ? "http" : "https"}://${hostPort(host, port)}`

/** Milliseconds that a client has for the handshake. */
export const handshakeTimeoutMs = 10_000

interface EdgeServer {
  readonly server: Server
  /** The event of a connection that carries requests. */
  readonly connected: "connection" | "secureConnection"
  /** Replaces the certificate for as long as it runs. */
  readonly followCertificate: Effect.Effect<void>
}

/**
 * A server without TLS if `certificates` is null. With it, connections count from the end of their handshake;
 * `connectionsMax` bounds them together with those that are still in it.
 */
export const makeEdgeServer = (certificates: CertificateSource | null, connectionsMax: number): EdgeServer => {
  if (certificates === null) {
    return { server: createServer(serverLimits), connected: "connection", followCertificate: Effect.void }
  }
  const server = createTlsServer({
    ...serverLimits,
    ...secureContextOf(certificates.current),
    handshakeTimeout: handshakeTimeoutMs,
  })
  server.maxConnections = connectionsMax
  // A failed handshake has no answer.
  server.on("tlsClientError", (_error, socket) => socket.destroy())
  const replace = (certificate: Certificate) => Effect.sync(() => server.setSecureContext(secureContextOf(certificate)))
  return {
    server,
    connected: "secureConnection",
    followCertificate: Stream.runForEach(certificates.changes, replace),
  }
}
