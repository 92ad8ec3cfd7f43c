/** A store of home tokens in memory. */
import { Effect, Layer } from "effect"
import { homeTokensMax, TooManyHomeTokens } from "../../protocols/domain/home-token.ts"
import { HomeTokenStore, type StoredHomeToken } from "../../protocols/ports/home-tokens.ts"

export const homeTokenStore = (tokens: () => Map<string, StoredHomeToken>): Layer.Layer<HomeTokenStore> =>
  Layer.succeed(HomeTokenStore, {
    all: Effect.sync(() => [...tokens().values()]),
    add: (token) =>
      Effect.suspend(() => {
        if (tokens().size >= homeTokensMax) return Effect.fail(TooManyHomeTokens.now)
        tokens().set(token.tokenId, token)
        return Effect.void
      }),
    remove: (tokenId) => Effect.sync(() => tokens().delete(tokenId)),
  })

export const homeToken = (tokenId: string): StoredHomeToken => ({
  tokenId,
  name: "tablet",
  hash: new Uint8Array(32),
  createdAtMs: 5,
  createdBy: "anna",
})
