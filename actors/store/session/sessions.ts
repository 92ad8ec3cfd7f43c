/**
 * The system session in the database, so that a restarted or moved actor restores it. A change of the configuration is written in the
 * same transaction as its transition of the session.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { SystemSession } from "../../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../../protocols/ports/configuration.ts"
import { sessionEntityId } from "../../../protocols/messages/session.ts"
import { ConfigurationStore, writeConfiguration } from "./configurations.ts"
import { orStoreUnavailable } from "../database/database.ts"

const decode = Schema.decodeUnknownEffect(SystemSession)

export class SessionStore extends Context.Service<SessionStore, {
  /** The saved session, or null before the first save. */
  readonly load: Effect.Effect<SystemSession | null, StoreUnavailable>
  /** Saves the session, and a new configuration if there is one, in one transaction. */
  readonly save: (session: SystemSession, record?: ConfigurationRecord | null) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/actors/SessionStore") {
  static readonly layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient | ConfigurationStore> = Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { forget } = yield* ConfigurationStore
      return {
        load: Effect.gen(function* () {
          const [row] = yield* orStoreUnavailable(
            sql<{ session: unknown }>`SELECT session FROM system_sessions WHERE entity_id = ${sessionEntityId}`,
          )
          return row === undefined ? null : yield* Effect.orDie(decode(row.session))
        }),
        save: (session, record = null) => {
          const write = sql`
            INSERT INTO system_sessions (entity_id, session)
            VALUES (${sessionEntityId}, ${JSON.stringify(session)}::text::jsonb)
            ON CONFLICT (entity_id) DO UPDATE SET session = excluded.session, updated_at = now()`
          return orStoreUnavailable(
            record === null
              ? Effect.asVoid(write)
              : sql.withTransaction(Effect.andThen(write, writeConfiguration(sql, record))).pipe(
                Effect.ensuring(forget),
              ),
          )
        },
      }
    }),
  )
}
