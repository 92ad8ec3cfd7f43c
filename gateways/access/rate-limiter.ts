/**
 * Counts requests against the rules of `protocols/domain/rate-limit.ts`, for all gateway nodes together.
 *
 * A node counts by itself and tells the others through the store: at least once a second, and sooner when it has admitted
 * a twentieth of a limit since (a whole request at least), but never within 100 ms of the last time. A request never waits
 * for the store. Invariants:
 * 1. A node by itself never admits more than a limit. N nodes together exceed it by at most what the N - 1 others admit
 *    between two tellings: a twentieth of the limit each, and what comes while they tell (100 ms and a round trip).
 * 2. While the store does not answer, each node holds the limit for itself.
 * 3. At most `addressesMax` addresses are counted one by one; further ones share `sharedSlots` counts. Users and API keys
 *    are as many as there are.
 */
import { Cause, Clock, Effect, Exit, Queue } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import { type Rule, type RuleName, ruleNames, type Rules, windowEndMs } from "../../protocols/domain/rate-limit.ts"
import { type RateCount, RateCounts } from "../../protocols/ports/rate-counts.ts"
import { clientNetwork } from "./client-address.ts"

/** What became of one request. */
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
  /** Counts a request of an authenticated caller; null where nothing is counted. */
  readonly ofCaller: (rule: RuleName, caller: Pick<Caller, "id" | "kind">) => Verdict | null
  /** Counts a request by the address it came from; null where nothing is counted. */
  readonly ofAddress: (rule: RuleName, address: string) => Verdict | null
}

const tellEvery = "1 second"
const tellPause = "100 millis"
/** The share of a limit that is told at once. */
const tellShare = 1 / 20
const forgetEveryMs = 60_000
const addressesMax = 8_192
const sharedSlots = 4_096

interface Count {
  readonly subject: string
  readonly endsMs: number
  /** What does not change in the headers of its answers. */
  readonly fixedHeaders: FixedHeaders
  /** Of all nodes, as the store said last. */
  told: number
  /** Of this node since, what is on its way included. */
  untold: number
}

interface FixedHeaders {
  readonly limit: string
  readonly reset: string
  readonly window: string
}

/** A number below `sharedSlots` for an address (FNV-1a). */
const slotOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % sharedSlots
}

/** The headers that tell a client where it stands. */
export const limitHeaders = ({ fixedHeaders, remaining }: Verdict): Record<string, string> => ({
  "X-RateLimit-Limit": fixedHeaders.limit,
  "X-RateLimit-Remaining": String(remaining),
  "X-RateLimit-Reset": fixedHeaders.reset,
  "X-RateLimit-Window": fixedHeaders.window,
})

const unlimited: RateLimiter = { ofCaller: () => null, ofAddress: () => null }

/** A limiter whose telling lives in the scope in context; `rules` null: nothing is counted. */
export const makeRateLimiter = Effect.fnUntraced(function* (rules: Rules | null) {
  if (rules === null) return unlimited
  const store = yield* RateCounts
  const clock = yield* Clock.Clock
  const byAddress = new Map<string, Count>()
  /** By the id of a caller, whose text is the same one at each request: the hot path makes no text of its own. */
  const byCaller = new Map<RuleName, Record<Caller["kind"], Map<string, Count>>>(
    ruleNames.map((name) => [name, { user: new Map(), apiKey: new Map() }]),
  )
  const toTell = new Set<Count>()
  const due = yield* Queue.dropping<void>(1)
  let addresses = 0
  let forgottenMs = clock.currentTimeMillisUnsafe()

  const begin = (rule: Rule, subject: string, nowMs: number): Count => {
    const endsMs = windowEndMs(rule, nowMs)
    const fixedHeaders = {
      limit: String(rule.limit),
      reset: String(Math.ceil(endsMs / 1000)),
      window: String(rule.windowS),
    }
    return { subject, endsMs, fixedHeaders, told: 0, untold: 0 }
  }

  const take = (rule: Rule, count: Count): Verdict => {
    const { endsMs: resetMs, fixedHeaders } = count
    const left = rule.limit - count.told - count.untold
    if (left <= 0) return { admitted: false, rule, remaining: 0, resetMs, fixedHeaders }
    count.untold++
    toTell.add(count)
    if (count.untold >= rule.limit * tellShare) Queue.offerUnsafe(due, undefined)
    return { admitted: true, rule, remaining: left - 1, resetMs, fixedHeaders }
  }

  const ofCaller: RateLimiter["ofCaller"] = (name, { id, kind }) => {
    const nowMs = clock.currentTimeMillisUnsafe()
    const counts = byCaller.get(name)![kind]
    let count = counts.get(id)
    if (count === undefined || nowMs >= count.endsMs) {
      counts.set(id, count = begin(rules[name], `${name} ${kind}:${id}`, nowMs))
    }
    return take(rules[name], count)
  }

  const ofAddress: RateLimiter["ofAddress"] = (name, address) => {
    const nowMs = clock.currentTimeMillisUnsafe()
    const subject = subjectOfAddress(name, address)
    let count = byAddress.get(subject)
    if (count === undefined || nowMs >= count.endsMs) byAddress.set(subject, count = begin(rules[name], subject, nowMs))
    return take(rules[name], count)
  }

  const subjectOfAddress = (name: RuleName, address: string): string => {
    const network = clientNetwork(address)
    const subject = `${name} address:${network}`
    if (byAddress.has(subject)) return subject
    if (addresses >= addressesMax) return `${name} addresses:${slotOf(network)}`
    addresses++
    return subject
  }

  /** Forgets windows that are over, here and in the store. */
  const forget = Effect.fnUntraced(function* (nowMs: number) {
    if (nowMs - forgottenMs < forgetEveryMs) return
    forgottenMs = nowMs
    for (const counts of [...byCaller.values()].flatMap(({ apiKey, user }) => [apiKey, user])) {
      for (const [id, { endsMs }] of counts) if (endsMs <= nowMs) counts.delete(id)
    }
    addresses = 0
    for (const [subject, { endsMs }] of byAddress) {
      if (endsMs <= nowMs) byAddress.delete(subject)
      else if (subject.includes(" address:")) addresses++
    }
    // Clocks differ: a window that is over here may be the present one elsewhere.
    yield* store.forget(nowMs - forgetEveryMs)
  })

  const tell = Effect.gen(function* () {
    const nowMs = clock.currentTimeMillisUnsafe()
    const telling = [...toTell].filter(({ endsMs }) => nowMs < endsMs)
    toTell.clear()
    const news = telling.map(({ endsMs, subject, untold }): RateCount => ({ subject, endsMs, count: untold }))
    if (news.length > 0) {
      const exit = yield* Effect.exit(store.add(news))
      if (Exit.isFailure(exit)) {
        for (const count of telling) toTell.add(count)
        return yield* Effect.logDebug("Counts of requests could not be told", Cause.pretty(exit.cause))
      }
      const totals = new Map(exit.value.map(({ count, subject }) => [subject, count]))
      for (const [index, count] of telling.entries()) {
        count.told = totals.get(count.subject) ?? count.told + news[index]!.count
        count.untold -= news[index]!.count
      }
    }
    yield* forget(nowMs)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Counts of requests could not be kept", cause)))

  const untilDue = Effect.timeoutOption(Queue.take(due), tellEvery)
  yield* Effect.forkScoped(
    Effect.forever(untilDue.pipe(Effect.andThen(tell), Effect.andThen(Effect.sleep(tellPause)))),
  )

  return { ofCaller, ofAddress } satisfies RateLimiter
})
