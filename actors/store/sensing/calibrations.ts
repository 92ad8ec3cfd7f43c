/**
 * Calibrations of routers (their static responses) in the database, so that a calibration survives its node.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { orStoreUnavailable } from "../database/database.ts"

export class ReferenceStore extends Context.Service<ReferenceStore, {
  readonly load: (routerId: string) => Effect.Effect<Uint8Array | null, StoreUnavailable>
  readonly save: (routerId: string, takenAtMs: number, body: Uint8Array) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/actors/ReferenceStore") {
  static readonly layer: Layer.Layer<ReferenceStore, never, SqlClient.SqlClient> = Layer.effect(
    ReferenceStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        load: Effect.fnUntraced(function* (routerId) {
          const [row] = yield* orStoreUnavailable(
            sql<{ body: Uint8Array }>`SELECT body FROM router_references WHERE router_id = ${routerId}`,
          )
          return row?.body ?? null
        }),
        save: (routerId, takenAtMs, body) =>
          Effect.asVoid(orStoreUnavailable(sql`
            INSERT INTO router_references (router_id, taken_at, body)
            VALUES (${routerId}, to_timestamp(${takenAtMs / 1000}::float8), ${body})
            ON CONFLICT (router_id) DO UPDATE SET taken_at = excluded.taken_at, body = excluded.body`)),
      }
    }),
  )
}
