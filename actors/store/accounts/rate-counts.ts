/**
 * Counts of requests in the database: one statement takes what a node has counted and answers what all have.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type RateCount, RateCounts } from "../../../protocols/ports/rate-counts.ts"
import { orStoreUnavailable } from "../database/database.ts"

export const layerRateCounts: Layer.Layer<RateCounts, never, SqlClient.SqlClient> = Layer.effect(
  RateCounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      // In the order of the key, like every node: two statements wait for each other and never in a circle.
      add: (counts) =>
        orStoreUnavailable(sql<RateCount>`
          INSERT INTO rate_counts (subject, ends_at, count)
          SELECT subject, to_timestamp(ends_ms / 1000), count FROM unnest(
            ${counts.map(({ subject }) => subject)}::text[],
            ${counts.map(({ endsMs }) => endsMs)}::float8[],
            ${counts.map(({ count }) => count)}::float8[]
          ) AS counted (subject, ends_ms, count)
          ORDER BY subject, ends_ms
          ON CONFLICT (subject, ends_at) DO UPDATE SET count = rate_counts.count + excluded.count
          RETURNING subject, (extract(epoch FROM ends_at) * 1000)::float8 AS "endsMs", count::float8`),
      forget: (beforeMs) =>
        Effect.asVoid(
          orStoreUnavailable(sql`DELETE FROM rate_counts WHERE ends_at < to_timestamp(${beforeMs / 1000}::float8)`),
        ),
    }
  }),
)
