/**
 * This node's copy of the keys that sign and verify access tokens.
 *
 * Keys are reloaded every `reloadMs`, and when a token names an unknown key. So a node verifies with another node's new key from the first
 * token on, signs with it after `reloadMs` at most, and rejects a revoked key after the same time. Invariant: unknown keys cause at most one
 * read a second; a request with an unknown key waits for the next one.
 */
import { Clock, Context, Data, Deferred, Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { AccountConflict } from "../../protocols/domain/identity.ts"
import { type SigningKey, SigningKeys } from "../../protocols/ports/signing-keys.ts"

type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** An imported key; `retiredAtMs` null: it signs. */
interface RingKey {
  readonly keyId: string
  readonly key: ImportedKey
  readonly retiredAtMs: number | null
}

/** The lifetime of access tokens; a retired key verifies for as long. */
export const tokenLifetimeS = 86_400

const reloadMs = 5_000
/** Longer than a token's lifetime, because a node that has not read the new key yet still signs with the old one. */
const retiredForMs = tokenLifetimeS * 1000 + 60_000
const unknownKeyPauseMs = 1_000
const keyBytesMin = 32

/** The signing key is too short to be secure. */
class WeakTokenKey extends Data.TaggedError("WeakTokenKey")<{ readonly message: string }> {}

export class KeyRing extends Context.Service<KeyRing, {
  /** The key that signs. */
  readonly signing: Effect.Effect<RingKey, StoreUnavailable>
  /** The key of an id; null when there is none that verifies. */
  readonly find: (keyId: string) => Effect.Effect<RingKey | null>
  /** Whether this node accepts tokens of this key. */
  readonly holds: (keyId: string) => boolean
  /** Makes a new key that signs from now on; `revokeOthers` invalidates all tokens that were issued. */
  readonly rotate: (
    revokeOthers: boolean,
  ) => Effect.Effect<ReadonlyArray<SigningKey>, AccountConflict | StoreUnavailable>
}>()("wavepose/gateways/KeyRing") {
  /** @param ownSecret signs and verifies alone, and is the same at all nodes; null: keys of the store. */
  static readonly layer = (
    ownSecret: Redacted.Redacted | null,
  ): Layer.Layer<KeyRing, WeakTokenKey | StoreUnavailable, SigningKeys> =>
    ownSecret === null
      ? Layer.effect(KeyRing, Effect.suspend(() => makeShared))
      : Layer.effect(KeyRing, makeOwn(new TextEncoder().encode(Redacted.value(ownSecret))))
}

/** The time until which tokens of a retired key are accepted, in epoch milliseconds. */
export const verifiesUntilMs = (retiredAtMs: number): number => retiredAtMs + retiredForMs

const importKey = (secret: Uint8Array): Effect.Effect<ImportedKey> =>
  Effect.promise(() =>
    crypto.subtle.importKey("raw", Uint8Array.from(secret), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
      "verify",
    ])
  )

/** A ring of the one key that the operator has set. Its id distinguishes secrets and reveals nothing of them. */
const makeOwn = Effect.fnUntraced(function* (secret: Uint8Array) {
  if (secret.byteLength < keyBytesMin) {
    return yield* new WeakTokenKey({
      message:
        `The signing key has ${secret.byteLength} bytes; it must have at least ${keyBytesMin}: set a longer WAVEPOSE_JWT_SECRET.`,
    })
  }
  const keyId = `own-${createHash("sha256").update("wavepose key id").update(secret).digest("hex").slice(0, 16)}`
  const own: RingKey = { keyId, key: yield* importKey(secret), retiredAtMs: null }
  const fixed = new AccountConflict({
    reason: "key_set_by_operator",
    message: "The signing key is set by WAVEPOSE_JWT_SECRET. Change it on all nodes, or unset it.",
  })
  return KeyRing.of({
    signing: Effect.succeed(own),
    find: (keyId) => Effect.succeed(keyId === own.keyId ? own : null),
    holds: (keyId) => keyId === own.keyId,
    rotate: () => Effect.fail(fixed),
  })
})

const makeShared = Effect.gen(function* () {
  const store = yield* SigningKeys
  const clock = yield* Clock.Clock
  let ring: ReadonlyMap<string, RingKey> = new Map()
  const scope = yield* Effect.scope
  /** When keys were last read because of an unknown one, and the next such read while it has not begun. */
  let askedMs = -Infinity
  let upcoming: Deferred.Deferred<void> | null = null

  /** Replaces the ring by the store's keys; known keys keep their imported form. */
  const take = Effect.fnUntraced(function* (keys: ReadonlyArray<SigningKey>) {
    const nowMs = yield* Clock.currentTimeMillis
    const verifying = keys.filter(({ retiredAtMs }) => retiredAtMs === null || nowMs < verifiesUntilMs(retiredAtMs))
    const entries = yield* Effect.forEach(verifying, ({ keyId, retiredAtMs, secret }) => {
      const known = ring.get(keyId)
      const key = known === undefined ? importKey(Redacted.value(secret)) : Effect.succeed(known.key)
      return Effect.map(key, (key): [string, RingKey] => [keyId, { keyId, key, retiredAtMs }])
    })
    ring = new Map(entries)
  })
  const reload = Effect.flatMap(store.all, take)
  const reloadOrKeep = Effect.catch(reload, (failure) => Effect.logDebug("The signing keys could not be read", failure))

  /** One read for all requests that arrive before it begins: it returns every key that was stored before they arrived. */
  const readForUnknown = Effect.suspend(() => {
    if (upcoming !== null) return Deferred.await(upcoming)
    const read = upcoming = Deferred.makeUnsafe<void>()
    const begin = Effect.suspend(() => {
      upcoming = null
      askedMs = clock.currentTimeMillisUnsafe()
      return reloadOrKeep
    })
    const pauseMs = Math.max(0, askedMs + unknownKeyPauseMs - clock.currentTimeMillisUnsafe())
    const run = Effect.andThen(Effect.sleep(pauseMs), begin)
    // In the ring's own scope: the interruption of the first request does not end it.
    return Effect.andThen(Effect.forkIn(Deferred.into(run, read), scope), Deferred.await(read))
  })

  const find = Effect.fnUntraced(function* (keyId: string) {
    if (!ring.has(keyId)) yield* readForUnknown
    return ring.get(keyId) ?? null
  })

  const signing = Effect.gen(function* () {
    // The store lists the newest first.
    for (const key of ring.values()) if (key.retiredAtMs === null) return key
    return yield* Effect.die(new Error("the store holds no key that signs"))
  })

  yield* reload
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(reloadMs), reloadOrKeep)))
  return KeyRing.of({
    signing,
    find,
    holds: (keyId) => ring.has(keyId),
    rotate: Effect.fnUntraced(function* (revokeOthers) {
      const nowMs = yield* Clock.currentTimeMillis
      const keys = yield* store.rotate(revokeOthers ? Infinity : nowMs - retiredForMs)
      yield* take(keys)
      return keys
    }),
  })
})
