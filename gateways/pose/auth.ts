/**
 * Handlers of the group Authentication.
 */
import { Clock, Effect } from "effect"
import { createApiKey, listApiKeys, revokeApiKey, signIn } from "../../protocols/http/auth.ts"
import { InvalidRequest, ResourceNotFound } from "../../protocols/http/errors.ts"
import { epochMsOf } from "../../protocols/http/fields.ts"
import { Accounts } from "../../protocols/messages/accounts.ts"
import { Tokens } from "../middleware/tokens.ts"
import { route } from "./route.ts"

export const authRoutes = [
  route(signIn, ({ body }) =>
    Effect.gen(function* () {
      const principal = yield* (yield* Accounts).signIn(body.username, body.password)
      return yield* (yield* Tokens).issue(principal)
    })),

  route(createApiKey, ({ body }) =>
    Effect.gen(function* () {
      const expiresAtMs = body.expires_at == null ? null : epochMsOf(body.expires_at)
      if (expiresAtMs !== null && expiresAtMs <= (yield* Clock.currentTimeMillis)) {
        return yield* InvalidRequest.of("expires_at", "must lie in the future", body.expires_at)
      }
      return yield* (yield* Accounts).createApiKey(body.name, body.role, expiresAtMs)
    })),

  route(listApiKeys, () => Effect.flatMap(Accounts, ({ apiKeys }) => apiKeys)),

  route(revokeApiKey, ({ params }) =>
    Effect.gen(function* () {
      const revoked = yield* (yield* Accounts).revokeApiKey(params.key_id)
      if (revoked) return
      return yield* new ResourceNotFound({ resource: "api_key", message: "There is no API key of this id." })
    })),
]
