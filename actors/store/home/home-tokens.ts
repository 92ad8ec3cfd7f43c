/**
 * Hashes of the long-lived tokens of the home-automation runtime, in the database.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { homeTokensMax, TooManyHomeTokens } from "../../../protocols/domain/home-token.ts"
import { HomeTokenStore, type StoredHomeToken } from "../../../protocols/ports/home-tokens.ts"
import { orStoreUnavailable } from "../database/database.ts"

export const layerHomeTokenStore: Layer.Layer<HomeTokenStore, never, SqlClient.SqlClient> = Layer.effect(
  HomeTokenStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      all: orStoreUnavailable(sql<StoredHomeToken>`
        SELECT token_id AS "tokenId", name, hash, (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
          created_by AS "createdBy"
        FROM home_tokens ORDER BY created_at, token_id`),
      add: Effect.fnUntraced(function* ({ createdAtMs, createdBy, hash, name, tokenId }) {
        const rows = yield* orStoreUnavailable(sql`
          INSERT INTO home_tokens (token_id, name, hash, created_at, created_by)
          SELECT ${tokenId}, ${name}, ${hash}, to_timestamp(${createdAtMs / 1000}::float8), ${createdBy}
          WHERE (SELECT count(*) FROM home_tokens) < ${homeTokensMax} RETURNING 1`)
        if (rows.length === 0) return yield* TooManyHomeTokens.now
      }),
      remove: (tokenId) =>
        Effect.map(
          orStoreUnavailable(sql`DELETE FROM home_tokens WHERE token_id = ${tokenId} RETURNING 1`),
          (rows) => rows.length > 0,
        ),
    }
  }),
)
