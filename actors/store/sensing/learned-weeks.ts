/**
 * Learned weeks in the database: implements their port. An unreadable week is learned again.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { weekCounts } from "../../../core/semantics/learned-week.ts"
import { LearnedWeeks } from "../../../protocols/ports/learned-weeks.ts"
import { Source } from "../../../protocols/domain/provenance.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

const Week = Schema.Struct({
  source: Source,
  firstMinute: Schema.Int,
  lastMinute: Schema.Int,
  minutes: Schema.Int,
  counts: Schema.Array(Schema.Finite).check(Schema.isMinLength(weekCounts), Schema.isMaxLength(weekCounts)),
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Week))

export const layerLearnedWeeks: Layer.Layer<LearnedWeeks, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  LearnedWeeks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bodies = yield* FrameBodies
    return {
      load: Effect.fnUntraced(function* (nodeId) {
        const [row] = yield* orStoreUnavailable(sql<{ key_id: number | null; body: Uint8Array }>`
          SELECT key_id::int4, body FROM learned_weeks WHERE node_id = ${nodeId}`)
        if (row === undefined) return null
        return yield* bodies.open(row.key_id, row.body).pipe(
          Effect.flatMap((opened) => decode(new TextDecoder().decode(opened))),
          Effect.catch((error) =>
            Effect.as(
              Effect.logWarning(`the learned week of node ${nodeId} cannot be read: it learns anew`, error.message),
              null,
            )
          ),
        )
      }),
      save: Effect.fnUntraced(function* (nodeId, week) {
        const { body, keyId } = yield* bodies.seal(new TextEncoder().encode(JSON.stringify(week)))
        yield* orStoreUnavailable(sql`
          INSERT INTO learned_weeks (node_id, saved_at, key_id, body)
          VALUES (${nodeId}, now(), ${keyId}::int2, ${body})
          ON CONFLICT (node_id) DO UPDATE
            SET saved_at = excluded.saved_at, key_id = excluded.key_id, body = excluded.body`)
      }),
    }
  }),
)
