/**
 * The credentials in use at this node and their last known owners: the memory of `credential-status.ts`, without any effect.
 *
 * Invariant: at most `entriesMax` credentials are kept that no connection holds, the oldest evicted first.
 */
import { Deferred, Effect } from "effect"
import type { Principal } from "../../protocols/domain/identity.ts"
import type { CredentialRef } from "../../protocols/ports/credentials.ts"

const entriesMax = 10_000

interface Entry {
  readonly ref: CredentialRef
  /** The owner; null: the credential is not valid. */
  principal: Principal | null
  /** When the store was asked for this. */
  askedMs: number
  /** Whether a request has used it since the last check. */
  used: boolean
  /** Completed when the credential ends: one for each connection that holds it. */
  readonly holders: Set<Deferred.Deferred<void>>
}

/** What the store answered to a question of `askedMs`. */
interface Finding {
  readonly principal: Principal | null
  readonly askedMs: number
  /** Whether a request is the reason of the question. */
  readonly used: boolean
}

/** The key of a credential in the cache. */
export const credentialKey = ({ id, kind }: CredentialRef): string => `${kind} ${id}`

/** Whether nothing is new. The principal then stays the same object, which callers compare by identity. */
const isSame = (one: Principal | null, other: Principal | null): boolean =>
  one !== null && other !== null && one.id === other.id && one.name === other.name && one.role === other.role

export class CredentialCache {
  readonly #entries = new Map<string, Entry>()
  readonly #validMs: number
  readonly #recentMs: number

  /**
   * @param validMs how long a finding is valid, in milliseconds
   * @param recentMs how long it is kept for `recent`, in milliseconds
   */
  constructor(validMs: number, recentMs: number) {
    this.#validMs = validMs
    this.#recentMs = recentMs
  }

  /** The owner of a credential, null if it is not valid; undefined if that is not known at `nowMs`. Marks it as used. */
  use(key: string, nowMs: number): Principal | null | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || nowMs - entry.askedMs > this.#validMs) return undefined
    entry.used = true
    return entry.principal
  }

  /** The owner of a credential as the last finding says, null if it was not valid; undefined if there is none of the last `recentMs`. */
  recent(key: string, nowMs: number): Principal | null | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || nowMs - entry.askedMs > this.#recentMs ? undefined : entry.principal
  }

  /** Stores a finding, unless a newer one is known, and notifies the holders of a credential that is not valid. */
  put(ref: CredentialRef, { askedMs, principal, used }: Finding): void {
    const key = credentialKey(ref)
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.#entries.set(key, { ref, principal, askedMs, used, holders: new Set() })
      if (this.#entries.size > entriesMax) this.#evictOldest()
      return
    }
    if (askedMs < entry.askedMs) return
    if (!isSame(entry.principal, principal)) entry.principal = principal
    entry.askedMs = askedMs
    entry.used ||= used
    if (principal !== null) return
    for (const holder of entry.holders) Deferred.doneUnsafe(holder, Effect.void)
    entry.holders.clear()
  }

  /** The credentials that were used since the last call or that a connection holds. Evicts those that are neither, and whose finding is not recent. */
  takeInUse(nowMs: number): ReadonlyArray<CredentialRef> {
    const inUse: Array<CredentialRef> = []
    for (const [key, entry] of this.#entries) {
      if (entry.used || entry.holders.size > 0) inUse.push(entry.ref)
      else if (nowMs - entry.askedMs > this.#recentMs) this.#entries.delete(key)
      entry.used = false
    }
    return inUse
  }

  /** Completes when a credential ends; at once if it is known not to be valid. It is held until then, or until the interruption. */
  awaitEnd(ref: CredentialRef): Effect.Effect<void> {
    return Effect.suspend(() => {
      const key = credentialKey(ref)
      const known = this.#entries.get(key)
      if (known?.principal === null) return Effect.void
      const entry: Entry = known ?? { ref, principal: null, askedMs: -Infinity, used: false, holders: new Set() }
      if (known === undefined) this.#entries.set(key, entry)
      const holder = Deferred.makeUnsafe<void>()
      entry.holders.add(holder)
      return Effect.ensuring(Deferred.await(holder), Effect.sync(() => void entry.holders.delete(holder)))
    })
  }

  /** Makes the findings on a credential or principal of this id invalid. */
  invalidate(id: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.ref.id === id || entry.principal?.id === id) entry.askedMs = -Infinity
    }
  }

  /** Evicts the oldest entry that no connection holds. */
  #evictOldest(): void {
    for (const [key, { holders }] of this.#entries) if (holders.size === 0) return void this.#entries.delete(key)
  }
}
