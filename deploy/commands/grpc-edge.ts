/** How a command connects to the gRPC edge of a service: its address, the files of TLS, and the API key of the process environment. */
import { Effect, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import type { ChannelTls } from "../../gateways/grpc/client-credentials.ts"
import type { Role } from "../../protocols/domain/identity.ts"
import { type ChannelFiles, serviceAddress } from "../settings/destination.ts"
import { InvalidArguments, InvalidCommand } from "../settings/invalid-command.ts"

/** The `host:port` of the edge that an option names. */
export const readAddress = (option: string, edge: string): Effect.Effect<string, InvalidArguments> => {
  const address = serviceAddress(edge)
  return address === null
    ? Effect.fail(new InvalidArguments({ message: `${option} is "${edge}", but must be grpc://host:port.` }))
    : Effect.succeed(address)
}

const readOption = (option: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => new InvalidCommand({ message: `The file of ${option} cannot be read: ${cause}` }),
  })

/** Reads the files of `--ca`, `--cert` and `--key`. */
export const readChannelTls = Effect.fnUntraced(function* (
  { caFile, certFile, keyFile }: ChannelFiles,
): Effect.fn.Return<ChannelTls, InvalidArguments | InvalidCommand> {
  if ((certFile === null) !== (keyFile === null)) {
    return yield* new InvalidArguments({ message: "Only one of --cert and --key is given. Give both or none." })
  }
  if (certFile !== null && caFile === null) {
    return yield* new InvalidArguments({ message: "--cert needs --ca, because without it plain text is used." })
  }
  return {
    rootCertPem: caFile === null ? null : yield* readOption("--ca", caFile),
    clientCertificate: certFile === null || keyFile === null ? null : {
      certPem: yield* readOption("--cert", certFile),
      keyPem: yield* readOption("--key", keyFile),
    },
  }
})

/**
 * The connection to the edge that an option names.
 *
 * @param role the role that the API key needs; part of the message without one
 */
export const readConnection = Effect.fnUntraced(function* (
  option: string,
  edge: string,
  role: Role,
  files: ChannelFiles,
) {
  const address = yield* readAddress(option, edge)
  const key = process.env.WAVEPOSE_API_KEY
  if (key === undefined || key === "") {
    return yield* new InvalidCommand({
      message:
        `WAVEPOSE_API_KEY is not set. Set it to an API key of role ${role}, created by POST /api/v1/auth/api-keys.`,
    })
  }
  return { address, apiKey: Redacted.make(key), ...yield* readChannelTls(files) }
})
