/**
 * The certificate of an edge, from PEM files that are read again while the service runs, so that a renewed certificate needs no restart.
 */
import { readFile } from "node:fs/promises"
import { Effect, Stream } from "effect"
import { type Certificate, type CertificateSource, checkCertificate } from "../../gateways/http/tls.ts"
import { InvalidSettings } from "../settings/settings.ts"
import type { TlsFiles } from "../settings/tls-settings.ts"

/** How often the files are read. A link that is replaced, as in a Kubernetes secret, is a change too. */
const readEvery = "5 seconds"

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** The certificate in the files; fails unless TLS can be served with it. */
const readCertificate = Effect.fnUntraced(function* ({ certFile, clientCaFile, keyFile }: TlsFiles) {
  const read = (file: string) => Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: reasonOf })
  const certificate: Certificate = {
    certPem: yield* read(certFile),
    keyPem: yield* read(keyFile),
    ...(clientCaFile === null ? {} : { clientCaPem: yield* read(clientCaFile) }),
  }
  yield* Effect.mapError(checkCertificate(certificate), ({ message }) => message)
  return certificate
})

const isSame = (a: Certificate, b: Certificate): boolean =>
  a.certPem === b.certPem && a.keyPem === b.keyPem && a.clientCaPem === b.clientCaPem

/** The certificates that replace `first`. An unusable one is logged once, and the present one stays in use. */
const changesOf = (files: TlsFiles, first: Certificate): Stream.Stream<Certificate> => {
  let current = first
  let logged: string | null = null
  const next = Effect.gen(function* () {
    const read = yield* Effect.result(readCertificate(files))
    if (read._tag === "Failure") {
      if (logged !== read.failure) yield* Effect.logWarning(`the certificate was not replaced: ${read.failure}`, files)
      logged = read.failure
      return []
    }
    logged = null
    if (isSame(read.success, current)) return []
    current = read.success
    yield* Effect.logInfo("certificate replaced", files)
    return [current]
  })
  return Stream.flatMap(Stream.tick(readEvery), () => Stream.fromIterableEffect(next))
}

/** The source of the certificate in these files; null without files. */
export const certificateSource = Effect.fnUntraced(function* (
  files: TlsFiles | null,
): Effect.fn.Return<CertificateSource | null, InvalidSettings> {
  if (files === null) return null
  const current = yield* Effect.mapError(
    readCertificate(files),
    (reason) =>
      new InvalidSettings({
        message: `The certificate in ${files.certFile} with the key in ${files.keyFile} cannot be used: ${reason}`,
      }),
  )
  return { current, changes: changesOf(files, current) }
})
