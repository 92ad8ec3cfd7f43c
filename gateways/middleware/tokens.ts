/**
 * Access tokens: JSON Web Tokens signed with HMAC-SHA256. Owns their claims and how they are checked.
 *
 * A token that was checked once is remembered until it expires, so that a busy client costs one signature check a day.
 * Invariant: at most `rememberedMax` tokens are remembered, the oldest forgotten first.
 */
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { jwtVerify, SignJWT } from "jose"
import { NotAuthenticated, type Principal, Role } from "../../protocols/domain/identity.ts"
import type { AccessToken } from "../../protocols/http/auth.ts"
import { makeUuids } from "./uuid.ts"

export interface TokenOptions {
  /** Names the key in a token's header, so that a later key can be told from this one. */
  readonly keyId: string
  /** At least 32 bytes, from a secure source of random numbers. */
  readonly key: Uint8Array
  /** Seconds; default 86400. */
  readonly lifetimeS?: number
}

/** The signing key is too short to be safe. */
export class WeakTokenKey extends Data.TaggedError("WeakTokenKey")<{ readonly message: string }> {}

const issuer = "wavepose"
const audience = "wavepose"
const keyBytesMin = 32
const rememberedMax = 10_000
const defaultLifetimeS = 86_400

/** What a token says besides its times. */
const Claims = Schema.Struct({ sub: Schema.String, name: Schema.String, role: Role, exp: Schema.Finite })
const readClaims = Schema.decodeUnknownOption(Claims)

const refusal = new NotAuthenticated({
  message: "The access token is not valid or has expired. Get a new one from POST /api/v1/auth/token.",
})

export class Tokens extends Context.Service<Tokens, {
  /** A fresh token for this user. */
  readonly issue: (principal: Principal) => Effect.Effect<AccessToken>
  /** The user that this token was issued to. */
  readonly verify: (token: string) => Effect.Effect<Principal, NotAuthenticated>
}>()("wavepose/gateways/Tokens") {
  static readonly layer = (options: TokenOptions): Layer.Layer<Tokens, WeakTokenKey> =>
    Layer.effect(Tokens, makeTokens(options))
}

interface Remembered {
  readonly principal: Principal
  readonly expiresAtMs: number
}

const makeTokens = Effect.fnUntraced(function* (
  options: TokenOptions,
): Effect.fn.Return<Tokens["Service"], WeakTokenKey> {
  if (options.key.byteLength < keyBytesMin) {
    return yield* new WeakTokenKey({
      message: `The signing key has ${options.key.byteLength} bytes; it must have at least ${keyBytesMin}.`,
    })
  }
  const lifetimeS = options.lifetimeS ?? defaultLifetimeS
  const uuid = yield* makeUuids
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = yield* Effect.promise(() =>
    crypto.subtle.importKey("raw", Uint8Array.from(options.key), algorithm, false, ["sign", "verify"])
  )
  const remembered = new Map<string, Remembered>()

  const remember = (token: string, entry: Remembered): void => {
    remembered.set(token, entry)
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!)
  }

  const issue = (principal: Principal) =>
    Effect.gen(function* () {
      const nowS = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const token = new SignJWT({ name: principal.name, role: principal.role })
        .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: options.keyId })
        .setSubject(principal.id)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(nowS)
        .setExpirationTime(nowS + lifetimeS)
        .setJti(uuid())
      return { token: yield* Effect.promise(() => token.sign(key)), lifetimeS }
    })

  const check = (token: string, nowMs: number) =>
    Effect.tryPromise({
      try: () =>
        jwtVerify(token, key, {
          algorithms: ["HS256"],
          issuer,
          audience,
          requiredClaims: ["exp", "iat", "jti", "sub"],
          currentDate: new Date(nowMs),
        }),
      catch: () => refusal,
    }).pipe(Effect.flatMap(({ payload, protectedHeader }) => {
      const claims = Option.getOrNull(readClaims(payload))
      if (claims === null || protectedHeader.kid !== options.keyId) return Effect.fail(refusal)
      const principal: Principal = { kind: "user", id: claims.sub, name: claims.name, role: claims.role }
      remember(token, { principal, expiresAtMs: claims.exp * 1000 })
      return Effect.succeed(principal)
    }))

  const verify = (token: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs): Effect.Effect<Principal, NotAuthenticated> => {
      const known = remembered.get(token)
      if (known === undefined) return check(token, nowMs)
      if (nowMs < known.expiresAtMs) return Effect.succeed(known.principal)
      remembered.delete(token)
      return Effect.fail(refusal)
    })

  return { issue, verify }
})
