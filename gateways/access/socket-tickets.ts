/**
 * Tickets that open one WebSocket each. The address of a request is logged by proxies and browsers, so it should not contain an access token;
 * a ticket is useless in a log.
 *
 * A ticket is a signed text that names the credential of its caller, so that any node can redeem it. Invariants: it opens one connection, on
 * any node, within `lifetimeS`; the connection ends when the credential does; a ticket is not accepted as an access token, nor an access token
 * as a ticket.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { type Caller, NotAuthenticated } from "../../protocols/domain/identity.ts"
import { RateCounts } from "../../protocols/ports/rate-counts.ts"
import { makeUuids } from "../http/uuid.ts"
import { CredentialStatus } from "./credential-status.ts"
import { KeyRing } from "./signing-key-cache.ts"

const lifetimeS = 30
const issuer = "wavepose"
const audience = "wavepose-socket"
const forgetEveryMs = 60_000

/** The claims of a ticket: the credential of its caller, and when that ends by itself. */
const Claims = Schema.Struct({
  jti: Schema.String,
  exp: Schema.Finite,
  kind: Schema.Literals(["session", "apiKey"]),
  sub: Schema.String,
  con: Schema.Boolean,
  until: Schema.NullOr(Schema.Finite),
})
const readClaims = Schema.decodeUnknownOption(Claims)

const invalidTicket = new NotAuthenticated({
  message:
    "The ticket is not valid, was used, or is older than 30 seconds. Get another one from POST /api/v1/auth/ticket.",
})

export class SocketTickets extends Context.Service<SocketTickets, {
  readonly issue: (
    caller: Caller,
  ) => Effect.Effect<{ readonly ticket: string; readonly lifetimeS: number }, StoreUnavailable>
  /** The caller of a ticket, which ends with this. */
  readonly redeem: (ticket: string) => Effect.Effect<Caller, NotAuthenticated | StoreUnavailable>
}>()("wavepose/gateways/SocketTickets") {
  static readonly layer: Layer.Layer<
    SocketTickets,
    never,
    CredentialStatus | KeyRing | RateCounts | SecureRandom.SecureRandom
  > = Layer.effect(SocketTickets, Effect.suspend(() => makeTickets))
}

/** The key that a ticket names; null if it names none. */
const keyIdOf = (ticket: string): string | null => {
  try {
    return decodeProtectedHeader(ticket).kid ?? null
  } catch {
    return null
  }
}

const makeTickets = Effect.gen(function* () {
  const ring = yield* KeyRing
  const standing = yield* CredentialStatus
  const counts = yield* RateCounts
  const uuid = yield* makeUuids
  let forgottenMs = 0

  const issue: SocketTickets["Service"]["issue"] = Effect.fnUntraced(
    function* ({ expiresAtMs, id, isConsole, sessionId }) {
      const { key, keyId } = yield* ring.signing
      const nowS = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const kind = sessionId === null ? "apiKey" : "session"
      const ticket = new SignJWT({ kind, con: isConsole, until: expiresAtMs })
        .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: keyId })
        .setSubject(sessionId ?? id)
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(nowS + lifetimeS)
        .setJti(uuid())
      return { ticket: yield* Effect.promise(() => ticket.sign(key)), lifetimeS }
    },
  )

  /** The claims of a ticket with a valid signature and time. */
  const verify = Effect.fnUntraced(function* (ticket: string, nowMs: number) {
    const keyId = keyIdOf(ticket)
    const found = keyId === null ? null : yield* ring.find(keyId)
    if (found === null) return yield* invalidTicket
    const { payload } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(ticket, found.key, { algorithms: ["HS256"], issuer, audience, currentDate: new Date(nowMs) }),
      catch: () => invalidTicket,
    })
    return Option.getOrNull(readClaims(payload)) ?? (yield* invalidTicket)
  })

  /** Whether this is the first use of a ticket at any node. */
  const isFirstUse = Effect.fnUntraced(function* ({ exp, jti }: typeof Claims.Type, nowMs: number) {
    const [used] = yield* counts.add([{ subject: `ticket ${jti}`, endsMs: exp * 1000, count: 1 }])
    if (nowMs - forgottenMs > forgetEveryMs) {
      forgottenMs = nowMs
      // Clocks of nodes differ.
      yield* counts.forget(nowMs - forgetEveryMs)
    }
    return used?.count === 1
  })

  const redeem: SocketTickets["Service"]["redeem"] = Effect.fnUntraced(function* (ticket) {
    const nowMs = yield* Clock.currentTimeMillis
    const claims = yield* verify(ticket, nowMs)
    if (!(yield* isFirstUse(claims, nowMs))) return yield* invalidTicket
    const principal = yield* standing.principalOf({ kind: claims.kind, id: claims.sub })
    if (principal === null) return yield* invalidTicket
    return {
      ...principal,
      sessionId: claims.kind === "session" ? claims.sub : null,
      isConsole: claims.con,
      expiresAtMs: claims.until,
    }
  })

  return SocketTickets.of({ issue, redeem })
})
