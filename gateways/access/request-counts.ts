/**
 * How many requests each caller and each address has sent in the present window: the memory of `rate-limiter.ts`, without any effect.
 *
 * Invariant: at most `addressesMax` addresses are counted one by one; further ones share `sharedSlots` counts. The counts of users and API
 * keys are as many as their accounts.
 */
import type { Caller } from "../../protocols/domain/identity.ts"
import { type Rule, type RuleName, ruleNames, type Rules, windowEndMs } from "../../protocols/domain/rate-limit.ts"
import { clientNetwork } from "./client-address.ts"

const addressesMax = 8_192
const sharedSlots = 4_096

/** Headers that are the same for all answers of a window. */
export interface FixedHeaders {
  readonly limit: string
  readonly reset: string
  readonly window: string
}

export interface RequestCount {
  readonly subject: string
  /** End of the window, in epoch milliseconds. */
  readonly endsMs: number
  readonly fixedHeaders: FixedHeaders
  /** Requests of all nodes by the last answer of the store. */
  synced: number
  /** Requests of this node since then, those being written included. */
  pending: number
}

/** A number below `sharedSlots` for an address (FNV-1a). */
const slotOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % sharedSlots
}

const newCount = (rule: Rule, subject: string, nowMs: number): RequestCount => {
  const endsMs = windowEndMs(rule, nowMs)
  const fixedHeaders = {
    limit: String(rule.limit),
    reset: String(Math.ceil(endsMs / 1000)),
    window: String(rule.windowS),
  }
  return { subject, endsMs, fixedHeaders, synced: 0, pending: 0 }
}

const dropEnded = (counts: Map<string, RequestCount>, nowMs: number): void => {
  for (const [key, { endsMs }] of counts) if (endsMs <= nowMs) counts.delete(key)
}

export class RequestCounts {
  readonly #rules: Rules
  readonly #byAddress = new Map<string, RequestCount>()
  /** By the id of a caller, whose text is the same object in each request: the hot path makes no text of its own. */
  readonly #byCaller = new Map<RuleName, Record<Caller["kind"], Map<string, RequestCount>>>(
    ruleNames.map((name) => [name, { user: new Map(), apiKey: new Map() }]),
  )
  #addresses = 0

  constructor(rules: Rules) {
    this.#rules = rules
  }

  ofCaller(name: RuleName, { id, kind }: Pick<Caller, "id" | "kind">, nowMs: number): RequestCount {
    const counts = this.#byCaller.get(name)![kind]
    let count = counts.get(id)
    if (count === undefined || nowMs >= count.endsMs) {
      counts.set(id, count = newCount(this.#rules[name], `${name} ${kind}:${id}`, nowMs))
    }
    return count
  }

  ofAddress(name: RuleName, address: string, nowMs: number): RequestCount {
    const subject = this.#subjectOf(name, address)
    let count = this.#byAddress.get(subject)
    if (count === undefined || nowMs >= count.endsMs) {
      this.#byAddress.set(subject, count = newCount(this.#rules[name], subject, nowMs))
    }
    return count
  }

  /** Forgets windows that have ended. */
  forget(nowMs: number): void {
    for (const { apiKey, user } of this.#byCaller.values()) {
      dropEnded(apiKey, nowMs)
      dropEnded(user, nowMs)
    }
    dropEnded(this.#byAddress, nowMs)
    this.#addresses = [...this.#byAddress.keys()].filter((subject) => subject.includes(" address:")).length
  }

  /** The subject that an address counts as: its own, or one of the shared ones. */
  #subjectOf(name: RuleName, address: string): string {
    const network = clientNetwork(address)
    const subject = `${name} address:${network}`
    if (this.#byAddress.has(subject)) return subject
    if (this.#addresses >= addressesMax) return `${name} addresses:${slotOf(network)}`
    this.#addresses++
    return subject
  }
}
