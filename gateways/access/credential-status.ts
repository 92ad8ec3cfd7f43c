/**
 * The status of the credentials in use: whether sign-ins and API keys are still valid, and the role that their owner has now.
 *
 * Once every `checkEveryMs` the store is asked for all credentials that were used since, and for those of open connections. A request is
 * answered from the last answer of the store. Invariants:
 * 1. A credential that was revoked at any node is rejected at this one `checkEveryMs` later if the store answers, and never later than
 *    `validMs`: an older answer is not used, and if the store does not answer, the request fails. The exception is 2.
 * 2. While the store does not answer, an answer of the last `recentMs` admits callers to the endpoints that accept recent credentials: the
 *    measurements by which operators see the outage. The cost is bounded: a key that expires or is revoked at another node meanwhile reads
 *    measurements of this node for `recentMs` at most, and nothing else. A revocation at this node takes effect at once.
 * 3. A request waits for the store only if its credential was not used for `validMs`; one of 2 waits `recentAfterMs` at most.
 * 4. At most so many credentials are cached as `credential-cache.ts` says.
 */
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { CredentialAge, Principal } from "../../protocols/domain/identity.ts"
import { type CredentialRef, Credentials } from "../../protocols/ports/credentials.ts"
import { CredentialCache, credentialKey } from "./credential-cache.ts"

const checkEveryMs = 1_000
const validMs = 5_000
/** How long a credential counts as recent: fifteen minutes. */
const recentMs = 15 * 60_000
const recentAfterMs = 1_000

type Answer = Effect.Effect<Principal | null, StoreUnavailable>

export class CredentialStatus extends Context.Service<CredentialStatus, {
  /** `principalOf` if it is known without asking the store; undefined if it is not. On the hot path. */
  readonly known: (key: string) => Principal | null | undefined
  /** The owner of a credential; null: it is not valid. `age` is `current` by default. */
  readonly principalOf: (ref: CredentialRef, age?: CredentialAge) => Answer
  /** Completes when a valid credential ends. */
  readonly ended: (ref: CredentialRef) => Effect.Effect<void>
  /** To be called after a change of a credential or principal of this id at this node: the store is asked again. */
  readonly forget: (id: string) => Effect.Effect<void>
}>()("wavepose/gateways/CredentialStatus") {
  static readonly layer: Layer.Layer<CredentialStatus, never, Credentials> = Layer.effect(
    CredentialStatus,
    Effect.suspend(() => makeCredentialStatus),
  )
}

/** Asks the store for single credentials; concurrent callers with the same credential wait for one answer. */
const makeQuery = Effect.fnUntraced(function* (store: Credentials["Service"], cache: CredentialCache) {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const underWay = new Map<string, Deferred.Deferred<Principal | null, StoreUnavailable>>()

  const query = Effect.fnUntraced(function* (ref: CredentialRef) {
    const askedMs = clock.currentTimeMillisUnsafe()
    const [found] = yield* store.standing([ref])
    const principal = found?.principal ?? null
    cache.put(ref, { principal, askedMs, used: true })
    return principal
  })

  return (ref: CredentialRef): Answer =>
    Effect.suspend(() => {
      const key = credentialKey(ref)
      const pending = underWay.get(key)
      if (pending !== undefined) return Deferred.await(pending)
      const answer = Deferred.makeUnsafe<Principal | null, StoreUnavailable>()
      underWay.set(key, answer)
      // A fiber of its own, because the interruption of the first caller must not end the others' query.
      const fiber = Fiber.runIn(run(query(ref)), scope)
      fiber.addObserver((exit) => {
        underWay.delete(key)
        Deferred.doneUnsafe(answer, exit)
      })
      return Deferred.await(answer)
    })
})

/** Asks the store for all credentials in use, in one query. */
const refresh = Effect.fnUntraced(function* (store: Credentials["Service"], cache: CredentialCache) {
  const askedMs = yield* Clock.currentTimeMillis
  const inUse = cache.takeInUse(askedMs)
  if (inUse.length === 0) return
  const exit = yield* Effect.exit(store.standing(inUse))
  if (Exit.isFailure(exit)) {
    return yield* Effect.logDebug("The status of credentials could not be read", Cause.pretty(exit.cause))
  }
  const valid = new Map(exit.value.map((credential) => [credentialKey(credential), credential.principal]))
  for (const ref of inUse) cache.put(ref, { principal: valid.get(credentialKey(ref)) ?? null, askedMs, used: false })
})

const makeCredentialStatus = Effect.gen(function* () {
  const store = yield* Credentials
  const clock = yield* Clock.Clock
  const cache = new CredentialCache(validMs, recentMs)
  const query = yield* makeQuery(store, cache)
  const known = (key: string) => cache.use(key, clock.currentTimeMillisUnsafe())
  /** The answer of the store; the last one, if that is recent, while there is none. */
  const queryOrRecent = (ref: CredentialRef): Answer => {
    const recent = () => cache.recent(credentialKey(ref), clock.currentTimeMillisUnsafe())
    if (recent() === undefined) return query(ref)
    const unanswered = Effect.fail(new StoreUnavailable({ message: "The database did not answer. Try again shortly." }))
    return query(ref).pipe(
      Effect.timeoutOrElse({ duration: recentAfterMs, orElse: () => unanswered }),
      Effect.catch((failure): Answer => {
        const principal = recent()
        return principal === undefined ? Effect.fail(failure) : Effect.succeed(principal)
      }),
    )
  }
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(checkEveryMs), refresh(store, cache))))
  return CredentialStatus.of({
    known,
    principalOf: (ref, age = "current") => {
      const principal = known(credentialKey(ref))
      if (principal !== undefined) return Effect.succeed(principal)
      return age === "current" ? query(ref) : queryOrRecent(ref)
    },
    ended: (ref) => cache.awaitEnd(ref),
    forget: (id) => Effect.sync(() => cache.invalidate(id)),
  })
})
