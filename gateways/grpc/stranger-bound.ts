/**
 * Bounds the requests of unknown callers that are not complete, on the whole node: each may hold memory until it is.
 *
 * Invariant: at most `strangerRequestsMax` are incomplete at one time, with a share of each network (`network-bound.ts`).
 */
import { Effect } from "effect"
import { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import type { TrustedProxies } from "../access/client-address.ts"
import { NetworkBound } from "../access/network-bound.ts"

/** With `strangerBytesMax` for each, 64 MiB. */
export const strangerRequestsMax = 4_096

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
  const bound = new NetworkBound(strangerRequestsMax, isTrusted)
  return {
    counted: <A, E>(address: string, request: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | Overloaded> => {
        const network = bound.networkOf(address)
        const limit = bound.exceeded(network)
        if (limit !== null) return Effect.fail(tooMany(limit))
        bound.enter(network)
        return Effect.ensuring(request, Effect.sync(() => bound.leave(network)))
      }),
  }
}
