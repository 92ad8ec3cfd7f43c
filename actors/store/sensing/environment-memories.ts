/**
 * Memories of environments in the database: what one activation hands over to the next one, on whichever node.
 *
 * Invariants: a memory is taken once, and only within `leftSMax` after it was left. Later the next activation that leaves or
 * takes one deletes it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

/** A move takes a second, and a restart of the service a few. */
const leftSMax = 15

export class EnvironmentMemories extends Context.Service<EnvironmentMemories, {
  readonly leave: (environmentId: string, memory: string) => Effect.Effect<void, StoreUnavailable>
  /** Null: none was left lately. Fails if it cannot be decrypted. */
  readonly take: (environmentId: string) => Effect.Effect<string | null, StoreUnavailable>
}>()("wavepose/actors/EnvironmentMemories") {
  static readonly layer: Layer.Layer<EnvironmentMemories, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
    EnvironmentMemories,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bodies = yield* FrameBodies
      return {
        leave: Effect.fnUntraced(function* (environmentId, memory) {
          const { body, keyId } = yield* bodies.seal(new TextEncoder().encode(memory))
          yield* orStoreUnavailable(sql`
            WITH old AS (
              DELETE FROM environment_memories
              WHERE left_at < now() - make_interval(secs => ${leftSMax}) AND environment_id <> ${environmentId}
            )
            INSERT INTO environment_memories (environment_id, left_at, key_id, body)
            VALUES (${environmentId}, now(), ${keyId}::int2, ${body})
            ON CONFLICT (environment_id) DO UPDATE
              SET left_at = excluded.left_at, key_id = excluded.key_id, body = excluded.body`)
        }),
        take: Effect.fnUntraced(function* (environmentId) {
          const rows = yield* orStoreUnavailable(sql<{ late: boolean; keyId: number | null; body: Uint8Array }>`
            DELETE FROM environment_memories
            WHERE environment_id = ${environmentId} OR left_at < now() - make_interval(secs => ${leftSMax})
            RETURNING environment_id <> ${environmentId} OR left_at < now() - make_interval(secs => ${leftSMax}) AS late,
              key_id::int4 AS "keyId", body`)
          const found = rows.find(({ late }) => !late)
          if (found === undefined) return null
          return new TextDecoder().decode(yield* bodies.open(found.keyId, found.body))
        }),
      }
    }),
  )
}
