/**
 * Learned weeks in the database: implements their port. An unreadable week is learned again.
 */
import { Effect, Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { weekCounts } from "../../../core/semantics/learned-week.ts"
import { LearnedWeeks } from "../../../protocols/ports/learned-weeks.ts"
import { Source } from "../../../protocols/domain/provenance.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { bodyContext, FrameBodies } from "../encryption/body-encryption.ts"
import type { EncryptionKeys } from "../encryption/encryption-keys.ts"
import { sealRowsAnew } from "../encryption/rotation.ts"

const Week = Schema.Struct({
  source: Source,
  firstMinute: Schema.Int,
  lastMinute: Schema.Int,
  minutes: Schema.Int,
  counts: Schema.Array(Schema.Finite).check(Schema.isMinLength(weekCounts), Schema.isMaxLength(weekCounts)),
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Week))

export const layerLearnedWeeks: Layer.Layer<
  LearnedWeeks,
  never,
  EncryptionKeys | FrameBodies | SecureRandom.SecureRandom | SqlClient.SqlClient
> = Layer.effect(
  LearnedWeeks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bodies = yield* FrameBodies
    yield* sealRowsAnew({
      table: "learned_weeks",
      id: "node_id",
      keyId: "key_id",
      body: "body",
      context: { of: "node_id", text: () => bodyContext },
    })
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
