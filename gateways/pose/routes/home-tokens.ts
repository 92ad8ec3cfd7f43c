/**
 * Handlers of the group Home automation.
 */
import { Effect } from "effect"
import { AccountConflict } from "../../../protocols/domain/identity.ts"
import { ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { createHomeToken, listHomeTokens, revokeHomeToken } from "../../../protocols/pose-api/home-tokens.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

export const homeTokenRoutes = [
  route(createHomeToken, ({ body, caller }) =>
    Effect.gen(function* () {
      const by = changedBy(caller).name
      const made = yield* (yield* HomeTokens).register(body.name, by).pipe(
        Effect.catchTag(
          "TooManyHomeTokens",
          ({ message }) => Effect.fail(new AccountConflict({ reason: "too_many_home_tokens", message })),
        ),
      )
      yield* Effect.logInfo("home token created", { token_id: made.token.tokenId, by })
      return made
    })),

  route(listHomeTokens, () => Effect.flatMap(HomeTokens, ({ all }) => all)),

  route(revokeHomeToken, ({ caller, params: { token_id } }) =>
    Effect.gen(function* () {
      const revoked = yield* (yield* HomeTokens).revoke(token_id).pipe(
        Effect.catchTag(
          "HomeTokenIsGiven",
          ({ message }) => Effect.fail(new AccountConflict({ reason: "token_set_by_operator", message })),
        ),
      )
      if (!revoked) {
        return yield* new ResourceNotFound({
          resource: "home_token",
          message: "There is no home token with this id. GET /api/v1/home/tokens lists them.",
        })
      }
      yield* Effect.logInfo("home token revoked", { token_id, by: caller?.name })
    })),
]
