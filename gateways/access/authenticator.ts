/**
 * The port by which every edge authenticates callers, and waits for the end of a caller's credential. It hides how tokens are signed and keys
 * are stored.
 *
 * Callers are cached by the text of their credential, so that a repeated request costs two look-ups. Invariants: a cached caller is returned
 * only while the credential is valid (`credential-status.ts`) and its token is; at most `cachedMax` tokens and as many API keys are cached, the
 * oldest evicted first.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { type Caller, type CredentialAge, NotAuthenticated, type Principal } from "../../protocols/domain/identity.ts"
import { Accounts } from "../../protocols/ports/accounts.ts"
import type { CredentialRef } from "../../protocols/ports/credentials.ts"
import { credentialKey } from "./credential-cache.ts"
import { CredentialStatus } from "./credential-status.ts"
import { invalidToken, Tokens, type VerifiedToken } from "./tokens.ts"

type Answer = Effect.Effect<Caller, NotAuthenticated | StoreUnavailable>

export class Authenticator extends Context.Service<Authenticator, {
  /** The caller of this access token. */
  readonly bearer: (token: string, age?: CredentialAge) => Answer
  /** The caller of this API key. */
  readonly apiKey: (key: string, age?: CredentialAge) => Answer
  /** Completes when a caller's credential has expired or was revoked, at most a few seconds later. */
  readonly ended: (caller: Caller) => Effect.Effect<void>
}>()("wavepose/gateways/Authenticator") {
  /** Tokens are checked by their signature, API keys by the store, and whether they are still valid by `CredentialStatus`. */
  static readonly layer: Layer.Layer<Authenticator, never, Accounts | CredentialStatus | Tokens> = Layer.effect(
    Authenticator,
    Effect.suspend(() => make),
  )
}

const cachedMax = 10_000

const invalidKey = new NotAuthenticated({ message: "The API key is not valid or has expired." })

/** The caller of a credential that was checked. */
interface Known {
  readonly ref: CredentialRef
  readonly key: string
  /** Null for an API key. */
  readonly token: VerifiedToken | null
  readonly principal: Principal
  readonly caller: Caller
}

const knownOf = (ref: CredentialRef, token: VerifiedToken | null, principal: Principal): Known => ({
  ref,
  key: credentialKey(ref),
  token,
  principal,
  caller: {
    ...principal,
    sessionId: token?.sessionId ?? null,
    isConsole: token?.isConsole ?? false,
    expiresAtMs: token?.expiresAtMs ?? null,
  },
})

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const tokens = yield* Tokens
  const { byApiKey } = yield* Accounts
  const standing = yield* CredentialStatus
  /** By the credential itself: the runtime's hash of a text is seeded, so the time of a look-up reveals nothing. */
  const bearers = new Map<string, Known>()
  const keys = new Map<string, Known>()

  const remember = (among: Map<string, Known>, credential: string, known: Known): Caller => {
    among.set(credential, known)
    if (among.size > cachedMax) among.delete(among.keys().next().value!)
    return known.caller
  }

  /** Reads the owner of a credential, and caches the caller. */
  const find = Effect.fnUntraced(function* (
    among: Map<string, Known>,
    credential: string,
    ref: CredentialRef,
    token: VerifiedToken | null,
    age: CredentialAge | undefined,
  ): Effect.fn.Return<Caller, NotAuthenticated | StoreUnavailable> {
    const principal = yield* standing.principalOf(ref, age)
    if (principal !== null && (token === null || token.userId === principal.id)) {
      return remember(among, credential, knownOf(ref, token, principal))
    }
    among.delete(credential)
    return yield* token === null ? invalidKey : invalidToken
  })

  /** Whether a cached caller can be returned without asking the store. */
  const isCurrent = ({ key, principal, token }: Known): boolean =>
    standing.known(key) === principal && (token === null || tokens.isGood(token, clock.currentTimeMillisUnsafe()))

  return Authenticator.of({
    bearer: (credential, age) =>
      Effect.suspend((): Answer => {
        const known = bearers.get(credential)
        if (known !== undefined && isCurrent(known)) return Effect.succeed(known.caller)
        return Effect.flatMap(
          tokens.verify(credential),
          (token) => find(bearers, credential, { kind: "session", id: token.sessionId }, token, age),
        )
      }),
    apiKey: (credential, age) =>
      Effect.suspend((): Answer => {
        const known = keys.get(credential)
        if (known !== undefined) {
          return isCurrent(known) ? Effect.succeed(known.caller) : find(keys, credential, known.ref, null, age)
        }
        return Effect.flatMap(
          byApiKey(credential),
          ({ id }) => find(keys, credential, { kind: "apiKey", id }, null, age),
        )
      }),
    ended: (caller) => {
      const revoked = standing.ended(
        caller.sessionId === null ? { kind: "apiKey", id: caller.id } : { kind: "session", id: caller.sessionId },
      )
      const { expiresAtMs } = caller
      if (expiresAtMs === null) return revoked
      const expired = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Effect.sleep(Math.max(0, expiresAtMs - nowMs)))
      return Effect.raceFirst(revoked, expired)
    },
  })
})
