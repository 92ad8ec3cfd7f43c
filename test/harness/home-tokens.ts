/** A store of home tokens in memory. */
import { Effect, Layer, Redacted } from "effect"
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

/** A token of the settings, and its id. */
export const givenHomeToken = Redacted.make("given-home-token")
export const givenHomeTokenId = "85b777e65e1ea87350719a2199eceb1f"

export const homeToken = (tokenId: string): StoredHomeToken => ({
  tokenId,
  name: "tablet",
  hash: new Uint8Array(32),
  createdAtMs: 5,
  createdBy: "anna",
})
