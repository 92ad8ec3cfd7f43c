/** Reads the files of `--ca`, `--cert` and `--key`. */
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { ChannelTls } from "../../gateways/grpc/client-credentials.ts"
import type { ChannelFiles } from "../settings/destination.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"

const readOption = (option: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => new InvalidCommand({ message: `The file of ${option} cannot be read: ${cause}` }),
  })

export const readChannelTls = Effect.fnUntraced(function* (
  { caFile, certFile, keyFile }: ChannelFiles,
): Effect.fn.Return<ChannelTls, InvalidCommand> {
  if ((certFile === null) !== (keyFile === null)) {
    return yield* new InvalidCommand({ message: "Only one of --cert and --key is given. Give both or none." })
  }
  if (certFile !== null && caFile === null) {
    return yield* new InvalidCommand({ message: "--cert needs --ca, because without it plain text is used." })
  }
  return {
    rootCertPem: caFile === null ? null : yield* readOption("--ca", caFile),
    clientCertificate: certFile === null || keyFile === null ? null : {
      certPem: yield* readOption("--cert", certFile),
      keyPem: yield* readOption("--key", keyFile),
    },
  }
})
