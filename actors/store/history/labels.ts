/**
 * Labels of rooms in the database: implements the port `Labels`.
 *
 * Invariant: the labels of a room do not overlap. Adding one locks those of its room until the commit.
 */
import { Clock, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { RoomLabel } from "../../../protocols/domain/label.ts"
import { Labels } from "../../../protocols/ports/labels.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { momentOf } from "../frames/frame-rows.ts"

const columns = `label_id::text AS "labelId", environment_id AS "environmentId",
  (extract(epoch FROM begins_at) * 1000)::float8 AS "fromMs", (extract(epoch FROM ends_at) * 1000)::float8 AS "toMs", state, note,
  (extract(epoch FROM created_at) * 1000)::float8 AS "createdMs", created_by AS "createdBy"`

export const layerLabels: Layer.Layer<Labels, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
  Labels,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    return {
      list: ({ environmentId, fromMs, limit, toMs }) =>
        orStoreUnavailable(sql<RoomLabel>`
          SELECT ${sql.literal(columns)} FROM labels WHERE ${
          sql.and([
            sql`environment_id = ${environmentId}`,
            ...(fromMs === null ? [] : [sql`ends_at > ${momentOf(sql, fromMs)}`]),
            ...(toMs === null ? [] : [sql`begins_at < ${momentOf(sql, toMs)}`]),
          ])
        } ORDER BY begins_at DESC LIMIT ${limit}::int4`),

      add: Effect.fnUntraced(function* ({ createdBy, environmentId, fromMs, note, state, toMs }) {
        const labelId = yield* random.uuidV7()
        const createdMs = yield* Clock.currentTimeMillis
        const [from, to] = [momentOf(sql, fromMs), momentOf(sql, toMs)]
        // The lock of the room's name serves all nodes; it ends with the transaction.
        const rows = yield* orStoreUnavailable(sql.withTransaction(Effect.andThen(
          sql`SELECT pg_advisory_xact_lock(hashtextextended(${`label ${environmentId}`}, 0))`,
          sql<RoomLabel>`
            INSERT INTO labels (label_id, environment_id, begins_at, ends_at, state, note, created_at, created_by)
            SELECT ${labelId}::uuid, ${environmentId}, ${from}, ${to}, ${state}, ${note}::text, ${
            momentOf(sql, createdMs)
          }, ${createdBy}
            WHERE NOT EXISTS (
              SELECT 1 FROM labels WHERE environment_id = ${environmentId} AND begins_at < ${to} AND ends_at > ${from}
            ) RETURNING ${sql.literal(columns)}`,
        )))
        return rows[0] ?? null
      }),

      remove: (labelId) =>
        Effect.map(
          orStoreUnavailable(sql`DELETE FROM labels WHERE label_id::text = ${labelId} RETURNING 1`),
          (rows) => rows.length > 0,
        ),
    }
  }),
)
