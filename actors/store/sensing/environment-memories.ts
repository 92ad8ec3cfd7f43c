/**
 * Memories of environments in the database: what one activation hands over to the next one, on whichever node.
 *
 * Invariants: a memory stays until it is removed, by whom has used it; after `leftSMax` it is late, which says that its persons may have left.
 * After `keptSMax` it is not read any more, and is deleted when another environment leaves or removes one.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

/** A move takes a second, and a restart of the service a few. */
const leftSMax = 15
/** A day. */
const keptSMax = 86_400

interface Left {
  readonly memory: string
  readonly isLate: boolean
  /** Deletes this memory, but not one that was left after it. */
  readonly remove: Effect.Effect<void, StoreUnavailable>
}

export class EnvironmentMemories extends Context.Service<EnvironmentMemories, {
  readonly leave: (environmentId: string, memory: string) => Effect.Effect<void, StoreUnavailable>
  /** Null: none was left. Fails if it cannot be decrypted. */
  readonly read: (environmentId: string) => Effect.Effect<Left | null, StoreUnavailable>
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
              WHERE left_at < now() - make_interval(secs => ${keptSMax}) AND environment_id <> ${environmentId}
            )
            INSERT INTO environment_memories (environment_id, left_at, key_id, body)
            VALUES (${environmentId}, now(), ${keyId}::int2, ${body})
            ON CONFLICT (environment_id) DO UPDATE
              SET left_at = excluded.left_at, key_id = excluded.key_id, body = excluded.body`)
        }),
        read: Effect.fnUntraced(function* (environmentId) {
          const [found] = yield* orStoreUnavailable(
            sql<{ leftAt: string; isLate: boolean; keyId: number | null; body: Uint8Array }>`
              SELECT extract(epoch FROM left_at)::text AS "leftAt",
                left_at < now() - make_interval(secs => ${leftSMax}) AS "isLate", key_id::int4 AS "keyId", body
              FROM environment_memories
              WHERE environment_id = ${environmentId} AND left_at >= now() - make_interval(secs => ${keptSMax})`,
          )
          if (found === undefined) return null
          const memory = new TextDecoder().decode(yield* bodies.open(found.keyId, found.body))
          const remove = orStoreUnavailable(sql`
            DELETE FROM environment_memories
            WHERE (environment_id = ${environmentId} AND extract(epoch FROM left_at)::text = ${found.leftAt})
              OR left_at < now() - make_interval(secs => ${keptSMax})`)
          return { memory, isLate: found.isLate, remove: Effect.asVoid(remove) }
        }),
      }
    }),
  )
}
