/**
 * Bounds the requests of unknown callers that are not complete, on the whole node: each may hold memory until it is.
 *
 * Invariants: at most `requestsMax` are incomplete at one time, and at most `networkShare` of them are of one network, so that no network
 * alone keeps the probes of others out. A trusted proxy stands for many clients and is exempt from the share.
 */
import { Effect } from "effect"
import { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { clientNetwork, type TrustedProxies } from "../access/client-address.ts"

/** With `strangerBytesMax` for each, 64 MiB. */
export const strangerRequestsMax = 4_096
const networkShare = 0.25

const tooMany = (limit: number) =>
  new Overloaded({
    limit,
    message: `${limit} requests of unknown callers are not complete, which is the limit. Try again shortly.`,
  })

interface StrangerBound {
  /** Counts a request of this address until the effect ends, or rejects it. */
  readonly counted: <A, E>(address: string, request: Effect.Effect<A, E>) => Effect.Effect<A, E | Overloaded>
}

export const makeStrangerBound = (isTrusted: TrustedProxies): StrangerBound => {
  const networkMax = Math.floor(networkShare * strangerRequestsMax)
  const networks = new Map<string, number>()
  let all = 0

  const enter = (network: string | null): Overloaded | null => {
    const ofNetwork = network === null ? 0 : networks.get(network) ?? 0
    if (all >= strangerRequestsMax) return tooMany(strangerRequestsMax)
    if (ofNetwork >= networkMax) return tooMany(networkMax)
    all++
    if (network !== null) networks.set(network, ofNetwork + 1)
    return null
  }

  const leave = (network: string | null): void => {
    all--
    if (network === null) return
    const left = networks.get(network)! - 1
    if (left === 0) networks.delete(network)
    else networks.set(network, left)
  }

  return {
    counted: <A, E>(address: string, request: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | Overloaded> => {
        const network = isTrusted(address) ? null : clientNetwork(address)
        const refusal = enter(network)
        return refusal === null ? Effect.ensuring(request, Effect.sync(() => leave(network))) : Effect.fail(refusal)
      }),
  }
}
