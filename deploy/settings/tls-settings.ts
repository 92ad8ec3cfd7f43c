/** The settings of TLS: certificates of the edges, and of clients of the gRPC edge. */
import { Result, Schema } from "effect"
import type { ClientCertificates } from "../../gateways/grpc/listener.ts"

const file = Schema.optionalKey(Schema.NonEmptyString)

export const tlsVariables = {
  WAVEPOSE_TLS_CERT: file,
  WAVEPOSE_TLS_KEY: file,
  WAVEPOSE_GRPC_TLS_CERT: file,
  WAVEPOSE_GRPC_TLS_KEY: file,
  WAVEPOSE_GRPC_CLIENT_CA: file,
  WAVEPOSE_GRPC_CLIENT_CERTS: Schema.optionalKey(Schema.Literals(["optional", "required"])),
}

/** PEM files. */
export interface TlsFiles {
  /** A certificate with its chain. */
  readonly certFile: string
  readonly keyFile: string
  /** The authorities of client certificates; null: none are requested. */
  readonly clientCaFile: string | null
}

export interface GrpcTlsSettings {
  readonly files: TlsFiles
  readonly clients: ClientCertificates
}

/** The files of two variables, of which both or none must be set. */
const filesOf = (
  prefix: string,
  certFile: string | undefined,
  keyFile: string | undefined,
): Result.Result<TlsFiles | null, string> => {
  if (certFile !== undefined && keyFile !== undefined) {
    return Result.succeed({ certFile, keyFile, clientCaFile: null })
  }
  if (certFile === keyFile) return Result.succeed(null)
  return Result.fail(`Only one of ${prefix}_CERT and ${prefix}_KEY is set. Set both or none.`)
}

type Variables = Schema.Schema.Type<Schema.Struct<typeof tlsVariables>>

/** The TLS settings of the HTTP edges and of gRPC, which uses the certificate of the HTTP edges unless it has its own. Fails with a message. */
export const tlsSettingsOf = (
  v: Variables,
): Result.Result<{ readonly tls: TlsFiles | null; readonly grpcTls: GrpcTlsSettings | null }, string> =>
  Result.gen(function* () {
    const tls = yield* filesOf("WAVEPOSE_TLS", v.WAVEPOSE_TLS_CERT, v.WAVEPOSE_TLS_KEY)
    const own = yield* filesOf("WAVEPOSE_GRPC_TLS", v.WAVEPOSE_GRPC_TLS_CERT, v.WAVEPOSE_GRPC_TLS_KEY)
    const files = own ?? tls
    const clientCaFile = v.WAVEPOSE_GRPC_CLIENT_CA ?? null
    if (clientCaFile === null && v.WAVEPOSE_GRPC_CLIENT_CERTS !== undefined) {
      return yield* Result.fail(
        "WAVEPOSE_GRPC_CLIENT_CERTS is set without WAVEPOSE_GRPC_CLIENT_CA. Set it to a PEM file of the authorities that sign client certificates.",
      )
    }
    if (clientCaFile !== null && files === null) {
      return yield* Result.fail(
        "WAVEPOSE_GRPC_CLIENT_CA is set, but gRPC has no TLS. Set WAVEPOSE_TLS_CERT and WAVEPOSE_TLS_KEY as well.",
      )
    }
    const clients: ClientCertificates = clientCaFile === null ? "none" : v.WAVEPOSE_GRPC_CLIENT_CERTS ?? "required"
    return { tls, grpcTls: files === null ? null : { files: { ...files, clientCaFile }, clients } }
  })
