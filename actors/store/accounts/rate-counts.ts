/**
 * Request counts in the database: one statement adds what a node has counted and returns the totals of all nodes.
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
      // Every node orders rows by key, so that two statements cannot deadlock.
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
