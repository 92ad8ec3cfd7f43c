/**
 * The system session in the database, so that a restarted or moved actor finds it again.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { SystemSession } from "../../protocols/domain/system.ts"
import { sessionEntityId } from "../../protocols/messages/session.ts"
import { orStoreUnavailable } from "./database.ts"

const decode = Schema.decodeUnknownEffect(SystemSession)

export class SessionStore extends Context.Service<SessionStore, {
  /** The saved session, or null before the first save. */
  readonly load: Effect.Effect<SystemSession | null, StoreUnavailable>
  readonly save: (session: SystemSession) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/actors/SessionStore") {
  static readonly layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        load: Effect.gen(function* () {
          const [row] = yield* orStoreUnavailable(
            sql<{ session: unknown }>`SELECT session FROM system_sessions WHERE entity_id = ${sessionEntityId}`,
          )
          return row === undefined ? null : yield* Effect.orDie(decode(row.session))
        }),
        save: (session) =>
          orStoreUnavailable(sql`
            INSERT INTO system_sessions (entity_id, session)
            VALUES (${sessionEntityId}, ${JSON.stringify(session)}::text::jsonb)
            ON CONFLICT (entity_id) DO UPDATE SET session = excluded.session, updated_at = now()`).pipe(Effect.asVoid),
      }
    }),
  )
}
