/**
 * The limits of callers that all edges of a node share, so that a caller has one budget whatever protocol it uses.
 */
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import type { Rules } from "../../protocols/domain/rate-limit.ts"
import type { RateCounts } from "../../protocols/ports/rate-counts.ts"
import { type ConnectionCounter, type ConnectionLimits, makeConnectionCounter } from "./connection-limits.ts"
import { makeRateLimiter, type RateLimiter } from "./rate-limiter.ts"

/** The account of a caller as a key of `CallerLimits.accounts`. */
export const accountKey = ({ id, kind }: Pick<Caller, "id" | "kind">): string => `${kind} ${id}`

/** Limits of a caller's requests and connections. */
export interface LimitSettings {
  readonly rules: Rules
  readonly connections: ConnectionLimits
}

export class CallerLimits extends Context.Service<CallerLimits, {
  readonly requests: RateLimiter
  /** Open WebSocket connections by network of the client. */
  readonly addresses: ConnectionCounter
  /** Open WebSocket connections and gRPC streams by account (`accountKey`). */
  readonly accounts: ConnectionCounter
}>()("wavepose/gateways/CallerLimits") {
  /** Null: no limits. */
  static readonly layer = (limits: LimitSettings | null): Layer.Layer<CallerLimits, never, RateCounts> =>
    Layer.effect(
      CallerLimits,
      Effect.map(makeRateLimiter(limits?.rules ?? null), (requests) => ({
        requests,
        addresses: makeConnectionCounter(limits?.connections.perAddress ?? Infinity),
        accounts: makeConnectionCounter(limits?.connections.perAccount ?? Infinity),
      })),
    )
}
