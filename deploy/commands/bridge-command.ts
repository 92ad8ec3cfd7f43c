/**
 * `wavepose bridge`: the edge bridge as a process of its own, which reads from a service's gRPC edge.
 *
 * It ends with `refusedExitCode` when the privacy gate rejects a record.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Redacted } from "effect"
import { layerRemoteFeed } from "../../gateways/egress/remote-feed.ts"
import { serveBridge } from "../../gateways/bridge/server.ts"
import type { ChannelFiles } from "../settings/destination.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings } from "../settings/settings.ts"
import { certificateSource } from "../composition/certificates.ts"
import { readConnection } from "./grpc-edge.ts"
import { version } from "../composition/version.ts"

export interface BridgeCommandOptions extends ChannelFiles {
  /** `grpc://host:port`. */
  readonly from: string
}

/** The feed from the service's gRPC edge, with the API key of the process environment. */
export const remoteFeedOf = Effect.fnUntraced(function* ({ from, ...files }: BridgeCommandOptions) {
  return layerRemoteFeed(yield* readConnection("--from", from, "viewer", files))
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
