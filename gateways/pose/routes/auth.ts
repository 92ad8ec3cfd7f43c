/**
 * Handlers of the group Authentication.
 */
import { Clock, Effect } from "effect"
import {
  createApiKey,
  issueTicket,
  listApiKeys,
  refresh,
  revokeApiKey,
  rotateKeys,
  signIn,
  signOut,
} from "../../../protocols/pose-api/auth.ts"
import { may } from "../../../protocols/domain/identity.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"
import { SignInAttempts } from "../../../protocols/ports/sign-in-attempts.ts"
import { type UserSession, UserSessions } from "../../../protocols/ports/user-sessions.ts"
import { clientNetwork } from "../../access/client-address.ts"
import { KeyRing, verifiesUntilMs } from "../../access/signing-key-cache.ts"
import { CredentialStatus } from "../../access/credential-status.ts"
import { SocketTickets } from "../../access/socket-tickets.ts"
import { Tokens } from "../../access/tokens.ts"
import { route } from "../server/route.ts"

const pairOf = Effect.fnUntraced(function* (session: UserSession) {
  return { ...(yield* (yield* Tokens).issue(session)), refreshToken: session.refreshToken }
})

/** The user of a name and a password; failed attempts are throttled per account and address, and per address. */
export const signInByPassword = Effect.fnUntraced(function* (
  { password, username }: { readonly username: string; readonly password: string },
  clientAddress: string,
) {
  const address = clientNetwork(clientAddress)
  const attempts = yield* SignInAttempts
  yield* attempts.begin(username, address)
  const principal = yield* (yield* Accounts).signIn(username, password).pipe(
    // The name is not logged: users may type their password into its field.
    Effect.tapErrorTag("NotAuthenticated", () => Effect.logInfo("sign-in failed", { address })),
  )
  yield* attempts.succeeded({ userId: principal.id, username }, address)
  return principal
})

export const authRoutes = [
  route(signIn, ({ body, clientAddress }) =>
    Effect.gen(function* () {
      const principal = yield* signInByPassword(body, clientAddress())
      return yield* pairOf(yield* (yield* UserSessions).open(principal))
    })),

  route(refresh, ({ body }) =>
    Effect.gen(function* () {
      return yield* pairOf(yield* (yield* UserSessions).refresh(body.refresh_token))
    })),

  route(signOut, ({ body }) =>
    Effect.gen(function* () {
      const sessionId = yield* (yield* UserSessions).close(body.refresh_token)
      if (sessionId !== null) yield* (yield* CredentialStatus).forget(sessionId)
    })),

  route(rotateKeys, ({ body, caller }) =>
    Effect.gen(function* () {
      const keys = yield* (yield* KeyRing).rotate(body.revoke_old ?? false)
      yield* Effect.logInfo("signing key rotated", { key_id: keys[0]!.keyId, by: caller?.name })
      return keys.map(({ createdAtMs, keyId, retiredAtMs }) => ({
        keyId,
        createdAtMs,
        verifiesUntilMs: retiredAtMs === null ? null : verifiesUntilMs(retiredAtMs),
      }))
    })),

  // The route is not public: it has a caller.
  route(issueTicket, ({ caller }) => Effect.flatMap(SocketTickets, ({ issue }) => issue(caller!))),

  route(createApiKey, ({ body, caller }) =>
    Effect.gen(function* () {
      const expiresAtMs = body.expires_at == null ? null : epochMsOf(body.expires_at)
      if (expiresAtMs !== null && expiresAtMs <= (yield* Clock.currentTimeMillis)) {
        return yield* InvalidRequest.of("expires_at", "must be in the future", body.expires_at)
      }
      const foreign = body.scopes?.find((scope) => !may({ role: body.role }, scope))
      if (foreign !== undefined) {
        return yield* InvalidRequest.of("scopes", `must be scopes of the role ${body.role}`, foreign)
      }
      const { name, role, scopes = null } = body
      const made = yield* (yield* Accounts).createApiKey({ name, role, scopes, expiresAtMs })
      yield* Effect.logInfo("API key created", { key_id: made.apiKey.keyId, role: body.role, by: caller?.name })
      return made
    })),

  route(listApiKeys, () => Effect.flatMap(Accounts, ({ apiKeys }) => apiKeys)),

  route(revokeApiKey, ({ caller, params: { key_id } }) =>
    Effect.gen(function* () {
      const revoked = yield* (yield* Accounts).revokeApiKey(key_id)
      if (!revoked) {
        return yield* new ResourceNotFound({
          resource: "api_key",
          message: "There is no API key with this id. GET /api/v1/auth/api-keys lists them.",
        })
      }
      yield* (yield* CredentialStatus).forget(key_id)
      yield* Effect.logInfo("API key revoked", { key_id, by: caller?.name })
    })),
]
