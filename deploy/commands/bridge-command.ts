/**
 * `wavepose bridge`: the edge bridge as a process of its own, which reads from a service's gRPC edge.
 *
 * It ends with `refusedExitCode` when the privacy gate rejects a record.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { layerRemoteFeed } from "../../gateways/egress/remote-feed.ts"
import { serveBridge } from "../../gateways/bridge/server.ts"
import { serviceAddress } from "../settings/destination.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings } from "../settings/settings.ts"
import { certificateSource } from "../composition/certificates.ts"
import { version } from "../composition/version.ts"

export interface BridgeCommandOptions {
  /** `grpc://host:port`. */
  readonly from: string
  /** PEM file of the authority that signed the server's certificate; null: plain text. */
  readonly caFile: string | null
}

/** The feed from the service's gRPC edge, with the API key of the process environment. */
export const remoteFeedOf = Effect.fnUntraced(function* ({ caFile, from }: BridgeCommandOptions) {
  const address = serviceAddress(from)
  if (address === null) {
    return yield* new InvalidCommand({ message: `--from is "${from}", but must be grpc://host:port.` })
  }
  const key = process.env.WAVEPOSE_API_KEY
  if (key === undefined || key === "") {
    return yield* new InvalidCommand({
      message:
        "WAVEPOSE_API_KEY is not set. Set it to an API key of role viewer, created by POST /api/v1/auth/api-keys.",
    })
  }
  const rootCertPem = caFile === null ? null : yield* Effect.tryPromise({
    try: () => readFile(caFile, "utf8"),
    catch: (cause) => new InvalidCommand({ message: `The file of --ca cannot be read: ${cause}` }),
  })
  return layerRemoteFeed({ address, apiKey: Redacted.make(key), rootCertPem })
})

/** Serves the bridge until its feed ends. */
export const runBridge = Effect.fnUntraced(
  function* (options: BridgeCommandOptions) {
    const { bounds, edge: { bridge }, origins, tls: files } = yield* readSettings(process.env)
    if (bridge === null) {
      return yield* new InvalidCommand({ message: "The bridge is off. Unset WAVEPOSE_BRIDGE to run it." })
    }
    const { host } = bridge
    const token = bridge.token === null ? null : Redacted.value(bridge.token)
    const tls = yield* certificateSource(files)
    const serve = Effect.gen(function* () {
      const { ended, url } = yield* serveBridge({ host, port: bridge.port, tls, token, version, bounds, origins })
      yield* Console.log(JSON.stringify({ ready: "bridge", url }))
      return yield* ended
    })
    return yield* Effect.provide(serve, yield* remoteFeedOf(options))
  },
  Effect.provide(NodeCrypto.layerSecureRandom),
  Effect.scoped,
)
