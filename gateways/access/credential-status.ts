/**
 * Whether the credentials in use still stand: sign-ins that nobody ended, API keys that nobody revoked, and the role that
 * their owner has now.
 *
 * The store is asked once every `checkEveryMs` about all credentials that were used since, and about those of open
 * connections; a request is answered from what the store said last. Invariants:
 * 1. What was revoked at any node is refused at this one `checkEveryMs` later where the store answers, and in no case
 *    later than `believedMs`: what is older is asked about before the request is answered, and refused when the store
 *    does not answer.
 * 2. A request waits for the store only when its credential was not used for `believedMs`.
 * 3. At most `entriesMax` credentials are known that no connection holds, the oldest forgotten first.
 */
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { Principal } from "../../protocols/domain/identity.ts"
import { type CredentialRef, Credentials } from "../../protocols/ports/credentials.ts"

const checkEveryMs = 1_000
const believedMs = 5_000
const entriesMax = 10_000

interface Entry {
  readonly ref: CredentialRef
  /** Whose it is; null: it does not stand. */
  principal: Principal | null
  /** When the question was asked that this answers. */
  askedMs: number
  /** Since the last check. */
  used: boolean
  /** Those who hold it, to be told its end. */
  readonly holders: Set<Deferred.Deferred<void>>
}

type Answer = Effect.Effect<Principal | null, StoreUnavailable>

export class Standing extends Context.Service<Standing, {
  /** `principalOf`, where it is known without asking the store; undefined where it is not. On the hot path. */
  readonly known: (key: string) => Principal | null | undefined
  /** Whose this credential is; null when it does not stand. */
  readonly principalOf: (ref: CredentialRef) => Answer
  /** Completes when a credential that stood does not any more. */
  readonly ended: (ref: CredentialRef) => Effect.Effect<void>
  /** This node has changed a credential or a principal of this id: what is known of it is asked for anew. */
  readonly forget: (id: string) => Effect.Effect<void>
}>()("wavepose/gateways/Standing") {
  static readonly layer: Layer.Layer<Standing, never, Credentials> = Layer.effect(
    Standing,
    Effect.suspend(() => makeStanding),
  )
}

/** A credential's text, by which `known` finds it. */
export const credentialKey = ({ id, kind }: CredentialRef): string => `${kind} ${id}`

/** Whether nothing is new: then the principal that is known stays the same object, by which it is remembered elsewhere. */
const isSame = (one: Principal | null, other: Principal | null): boolean =>
  one !== null && other !== null && one.id === other.id && one.name === other.name && one.role === other.role

const makeStanding = Effect.gen(function* () {
  const store = yield* Credentials
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const entries = new Map<string, Entry>()
  /** Questions under way about single credentials: who asks the same waits for the same answer. */
  const asking = new Map<string, Deferred.Deferred<Principal | null, StoreUnavailable>>()

  const keep = (ref: CredentialRef, principal: Principal | null, askedMs: number, used: boolean): void => {
    const key = credentialKey(ref)
    const known = entries.get(key)
    if (known === undefined) {
      entries.set(key, { ref, principal, askedMs, used, holders: new Set() })
      if (entries.size <= entriesMax) return
      for (const [other, { holders }] of entries) if (holders.size === 0) return void entries.delete(other)
      return
    }
    // An answer to an older question came late.
    if (askedMs < known.askedMs) return
    if (!isSame(known.principal, principal)) known.principal = principal
    known.askedMs = askedMs
    known.used ||= used
    if (principal !== null) return
    for (const holder of known.holders) Deferred.doneUnsafe(holder, Effect.void)
    known.holders.clear()
  }

  const look = Effect.fnUntraced(function* (ref: CredentialRef) {
    const askedMs = clock.currentTimeMillisUnsafe()
    const [found] = yield* store.standing([ref])
    const principal = found?.principal ?? null
    keep(ref, principal, askedMs, true)
    return principal
  })

  const ask = (ref: CredentialRef): Answer =>
    Effect.suspend(() => {
      const key = credentialKey(ref)
      const underWay = asking.get(key)
      if (underWay !== undefined) return Deferred.await(underWay)
      const answer = Deferred.makeUnsafe<Principal | null, StoreUnavailable>()
      asking.set(key, answer)
      // Not a part of the request that asks first: others wait for it, who do not end with that one.
      const fiber = Fiber.runIn(run(look(ref)), scope)
      fiber.addObserver((exit) => {
        asking.delete(key)
        Deferred.doneUnsafe(answer, exit)
      })
      return Deferred.await(answer)
    })

  const known = (key: string): Principal | null | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || clock.currentTimeMillisUnsafe() - entry.askedMs > believedMs) return undefined
    entry.used = true
    return entry.principal
  }

  const principalOf = (ref: CredentialRef): Answer => {
    const principal = known(credentialKey(ref))
    return principal === undefined ? ask(ref) : Effect.succeed(principal)
  }

  /** Asks about all that are in use, in one question. */
  const check = Effect.gen(function* () {
    const askedMs = clock.currentTimeMillisUnsafe()
    const inUse: Array<CredentialRef> = []
    for (const [key, entry] of entries) {
      if (entry.used || entry.holders.size > 0) inUse.push(entry.ref)
      else if (askedMs - entry.askedMs > believedMs) entries.delete(key)
      entry.used = false
    }
    if (inUse.length === 0) return
    const exit = yield* Effect.exit(store.standing(inUse))
    if (Exit.isFailure(exit)) {
      return yield* Effect.logDebug("The store did not say which credentials stand", Cause.pretty(exit.cause))
    }
    const standing = new Map(exit.value.map((credential) => [credentialKey(credential), credential.principal]))
    for (const ref of inUse) keep(ref, standing.get(credentialKey(ref)) ?? null, askedMs, false)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(checkEveryMs), check)))

  return Standing.of({
    known,
    principalOf,
    ended: (ref) =>
      Effect.suspend(() => {
        const holder = Deferred.makeUnsafe<void>()
        const known = entries.get(credentialKey(ref))
        const entry = known ?? { ref, principal: null, askedMs: -Infinity, used: false, holders: new Set() }
        if (known === undefined) entries.set(credentialKey(ref), entry)
        else if (known.principal === null) return Effect.void
        entry.holders.add(holder)
        return Effect.ensuring(Deferred.await(holder), Effect.sync(() => void entry.holders.delete(holder)))
      }),
    forget: (id) =>
      Effect.sync(() => {
        for (const entry of entries.values()) {
          if (entry.ref.id === id || entry.principal?.id === id) entry.askedMs = -Infinity
        }
      }),
  })
})
