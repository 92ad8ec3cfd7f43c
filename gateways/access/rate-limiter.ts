/**
 * Counts requests against the rules of `protocols/domain/rate-limit.ts`, for all gateway nodes together or for this one.
 *
 * A node counts in memory (`request-counts.ts`) and synchronises shared counts with those of the others through the store: at least once a
 * second, earlier after it has admitted a twentieth of a limit (at least one request), and never within 100 ms of the last time. A request
 * never waits for the store. Invariants:
 * 1. One node alone never admits more than a limit. N nodes together exceed it by at most what the N - 1 others admit between two
 *    synchronisations: a twentieth of the limit each, and what arrives during one (100 ms and a round trip).
 * 2. While the store does not answer, each node applies the limit on its own.
 * 3. A count of this node alone (`isCountedPerNode`) never reaches the store, and no other node adds to it.
 */
import { Cause, Clock, Effect, Exit, Queue } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import { isCountedPerNode, type Rule, type RuleName, type Rules } from "../../protocols/domain/rate-limit.ts"
import { type RateCount, RateCounts } from "../../protocols/ports/rate-counts.ts"
import { type FixedHeaders, type RequestCount, RequestCounts } from "./request-counts.ts"

/** The decision on one request. */
export interface Verdict {
  readonly admitted: boolean
  readonly rule: Rule
  /** Requests that are left in this window. */
  readonly remaining: number
  /** End of the window, in epoch milliseconds. */
  readonly resetMs: number
  readonly fixedHeaders: FixedHeaders
}

export interface RateLimiter {
  /** Counts a request of an authenticated caller; null if limits are off. */
  readonly ofCaller: (rule: RuleName, caller: Pick<Caller, "id" | "kind">) => Verdict | null
  /** Counts a request by the address of its client; null if limits are off. */
  readonly ofAddress: (rule: RuleName, address: string) => Verdict | null
}

const syncEvery = "1 second"
const syncPause = "100 millis"
/** The share of a limit that is synchronised at once. */
const syncShare = 1 / 20
const forgetEveryMs = 60_000

/** The headers that state a caller's limit. */
export const limitHeaders = ({ fixedHeaders, remaining }: Verdict): Record<string, string> => ({
  "X-RateLimit-Limit": fixedHeaders.limit,
  "X-RateLimit-Remaining": String(remaining),
  "X-RateLimit-Reset": fixedHeaders.reset,
  "X-RateLimit-Window": fixedHeaders.window,
})

const unlimited: RateLimiter = { ofCaller: () => null, ofAddress: () => null }

/** Writes the counts of `unsynced` to the store and takes over the totals of all nodes. Returns whether the store answered. */
const syncCounts = Effect.fnUntraced(
  function* (store: RateCounts["Service"], unsynced: Set<RequestCount>, nowMs: number) {
    const counts = [...unsynced].filter(({ endsMs }) => nowMs < endsMs)
    unsynced.clear()
    const written = counts.map(({ endsMs, pending, subject }): RateCount => ({ subject, endsMs, count: pending }))
    if (written.length === 0) return true
    const exit = yield* Effect.exit(store.add(written))
    if (Exit.isFailure(exit)) {
      for (const count of counts) unsynced.add(count)
      yield* Effect.logDebug("Counts of requests could not be synchronised", Cause.pretty(exit.cause))
      return false
    }
    const totals = new Map(exit.value.map(({ count, subject }) => [subject, count]))
    for (const [index, count] of counts.entries()) {
      count.synced = totals.get(count.subject) ?? count.synced + written[index]!.count
      count.pending -= written[index]!.count
    }
    return true
  },
)

/** A limiter that synchronises in the scope in context; `rules` null: nothing is counted. */
export const makeRateLimiter = Effect.fnUntraced(function* (rules: Rules | null) {
  if (rules === null) return unlimited
  const store = yield* RateCounts
  const clock = yield* Clock.Clock
  const counts = new RequestCounts(rules)
  const unsynced = new Set<RequestCount>()
  const due = yield* Queue.dropping<void>(1)
  let forgottenMs = clock.currentTimeMillisUnsafe()

  const take = (name: RuleName, count: RequestCount): Verdict => {
    const rule = rules[name]
    const { endsMs: resetMs, fixedHeaders } = count
    const left = rule.limit - count.synced - count.pending
    if (left <= 0) return { admitted: false, rule, remaining: 0, resetMs, fixedHeaders }
    count.pending++
    if (!isCountedPerNode(name)) {
      unsynced.add(count)
      if (count.pending >= rule.limit * syncShare) Queue.offerUnsafe(due, undefined)
    }
    return { admitted: true, rule, remaining: left - 1, resetMs, fixedHeaders }
  }

  const sync = Effect.gen(function* () {
    const nowMs = clock.currentTimeMillisUnsafe()
    const isSynced = yield* syncCounts(store, unsynced, nowMs)
    if (!isSynced || nowMs - forgottenMs < forgetEveryMs) return
    forgottenMs = nowMs
    counts.forget(nowMs)
    // Clocks differ: a window that has ended here may be the present one of another node.
    yield* store.forget(nowMs - forgetEveryMs)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Counts of requests could not be kept", cause)))

  const untilDue = Effect.timeoutOption(Queue.take(due), syncEvery)
  yield* Effect.forkScoped(
    Effect.forever(untilDue.pipe(Effect.andThen(sync), Effect.andThen(Effect.sleep(syncPause)))),
  )

  return {
    ofCaller: (name, caller) => take(name, counts.ofCaller(name, caller, clock.currentTimeMillisUnsafe())),
    ofAddress: (name, address) => take(name, counts.ofAddress(name, address, clock.currentTimeMillisUnsafe())),
  } satisfies RateLimiter
})
