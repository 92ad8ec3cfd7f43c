/**
 * `wavepose sign`: the signing relay as a process, for a device that cannot sign its datagrams.
 */
import { Clock, Console, Effect } from "effect"
import { makeSigner } from "../../gateways/datagrams/signature.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { openSigningRelay } from "../source/signing-relay.ts"
import { udpAddressOf } from "./udp-address.ts"

/** Runs until it is interrupted. Reads the key from WAVEPOSE_NODE_KEY. */
export const signDatagrams = Effect.fnUntraced(function* (options: { readonly listen: string; readonly to: string }) {
  const listen = yield* udpAddressOf("--listen", options.listen)
  const to = yield* udpAddressOf("--to", options.to)
  const epoch = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const key = process.env.WAVEPOSE_NODE_KEY ?? ""
  const sign = makeSigner(key, epoch)
  if (sign === null) {
    return yield* new InvalidCommand({
      message: `WAVEPOSE_NODE_KEY ${key === "" ? "is not set" : "is no key"}. Set it to the node's key as printed by ` +
        "`wavepose node enrol` (wpk-...).",
    })
  }
  const progress = { signed: 0, failed: 0 }
  const port = yield* openSigningRelay({ listen, to, sign }, progress)
  yield* Console.log(JSON.stringify({ ready: "sign", url: `udp://${options.listen.replace(/:\d+$/, `:${port}`)}` }))
  yield* Effect.suspend(() => Effect.logInfo("signed datagrams", { ...progress })).pipe(
    Effect.delay("30 seconds"),
    Effect.forever,
  )
}, Effect.scoped)
