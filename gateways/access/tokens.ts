/**
 * Access tokens: JSON Web Tokens signed with HMAC-SHA256. Owns their claims and their verification.
 *
 * A token contains its user and sign-in, but no permissions: these are read from the store (`credential-status.ts`). Boundary: the caller of a
 * verified token is cached in `authenticator.ts`, so that a busy client costs one signature check a day.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { NotAuthenticated } from "../../protocols/domain/identity.ts"
import { KeyRing, tokenLifetimeS } from "./signing-key-cache.ts"
import { makeUuids } from "../http/uuid.ts"

const issuer = "wavepose"
const audience = "wavepose"

/** The claims of a token besides its issuer, its audience and its own id. */
const Claims = Schema.Struct({
  sub: Schema.String,
  sid: Schema.String.check(Schema.isUUID()),
  exp: Schema.Finite,
  con: Schema.optionalKey(Schema.Literal(true)),
})
const readClaims = Schema.decodeUnknownOption(Claims)

/** A token that was signed by a key of the ring and has not expired. */
export interface VerifiedToken {
  readonly keyId: string
  readonly userId: string
  readonly sessionId: string
  readonly isConsole: boolean
  readonly expiresAtMs: number
}

/** The failure of every invalid token, whatever the reason. */
export const invalidToken = new NotAuthenticated({
  message: "The access token is not valid or has expired. Get a new one from POST /api/v1/auth/token.",
})

export class Tokens extends Context.Service<Tokens, {
  /** A new token of a sign-in. */
  readonly issue: (session: {
    readonly userId: string
    readonly sessionId: string
    /** Whether the token is for the web console; default no. */
    readonly isConsole?: boolean
  }) => Effect.Effect<{ readonly token: string; readonly lifetimeS: number }, StoreUnavailable>
  readonly verify: (token: string) => Effect.Effect<VerifiedToken, NotAuthenticated>
  /** Whether the key and the time of a verified token are still valid. */
  readonly isGood: (verified: VerifiedToken, nowMs: number) => boolean
}>()("wavepose/gateways/Tokens") {
  static readonly layer: Layer.Layer<Tokens, never, KeyRing | SecureRandom.SecureRandom> = Layer.effect(
    Tokens,
    Effect.suspend(() => makeTokens),
  )
}

/** The key that a token names; null if it names none. */
const keyIdOf = (token: string): string | null => {
  try {
    return decodeProtectedHeader(token).kid ?? null
  } catch {
    return null
  }
}

const makeTokens = Effect.gen(function* () {
  const ring = yield* KeyRing
  const uuid = yield* makeUuids

  const issue: Tokens["Service"]["issue"] = Effect.fnUntraced(function* ({ isConsole = false, sessionId, userId }) {
    const { key, keyId } = yield* ring.signing
    const nowS = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const token = new SignJWT({ sid: sessionId, ...(isConsole ? { con: true } : {}) })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: keyId })
      .setSubject(userId)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + tokenLifetimeS)
      .setJti(uuid())
    return { token: yield* Effect.promise(() => token.sign(key)), lifetimeS: tokenLifetimeS }
  })

  const verify = Effect.fnUntraced(function* (token: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const keyId = keyIdOf(token)
    const found = keyId === null ? null : yield* ring.find(keyId)
    if (found === null) return yield* invalidToken
    const { payload } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(token, found.key, {
          algorithms: ["HS256"],
          issuer,
          audience,
          requiredClaims: ["exp", "iat", "jti", "sid", "sub"],
          currentDate: new Date(nowMs),
        }),
      catch: () => invalidToken,
    })
    const claims = Option.getOrNull(readClaims(payload))
    if (claims === null) return yield* invalidToken
    const { con = false, exp, sid, sub } = claims
    return { keyId: found.keyId, userId: sub, sessionId: sid, isConsole: con, expiresAtMs: exp * 1000 }
  })

  const isGood = ({ expiresAtMs, keyId }: VerifiedToken, nowMs: number): boolean =>
    nowMs < expiresAtMs && ring.holds(keyId)

  return Tokens.of({ isGood, issue, verify })
})
