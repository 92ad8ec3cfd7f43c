/**
 * The configuration and its audit record in the database.
 *
 * Boundary: `sessions.ts` writes a change in one transaction with the session's transition. Invariants: revisions are consecutive,
 * whatever the writer. The record is append only.
 */
import { Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Configuration, defaultConfiguration } from "../../../protocols/domain/configuration.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import {
  ConfigurationChange,
  ConfigurationHistory,
  type ConfigurationRecord,
  Configurations,
} from "../../../protocols/ports/configuration.ts"
import { ConfigurationState, sessionEntityId } from "../../../protocols/messages/session.ts"
import { orStoreUnavailable } from "../database/database.ts"

/** The maximum age of an answer of `Configurations`, if another node has changed it. */
const staleMsMax = 1_000

const decodeState = Schema.decodeUnknownEffect(ConfigurationState)
const decodeConfiguration = Schema.decodeUnknownEffect(Configuration)
const decodeChange = Schema.decodeUnknownEffect(ConfigurationChange)

export class ConfigurationStore extends Context.Service<ConfigurationStore, {
  /** The configuration; null before the first change. */
  readonly load: Effect.Effect<ConfigurationState | null, StoreUnavailable>
  /** To be run after a change: the next answer of `Configurations` on this node is read anew. */
  readonly forget: Effect.Effect<void>
}>()("wavepose/actors/ConfigurationStore") {}

/** Writes a configuration and its record within the caller's transaction. A revision of another writer is a defect: start again from it. */
export const writeConfiguration = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, { change, configuration }: ConfigurationRecord) {
    const { after, atMs, before, by, fields, revision, takenBack } = change
    const written = yield* sql`
    INSERT INTO configuration (entity_id, revision, value)
    VALUES (${sessionEntityId}, ${revision}, ${JSON.stringify(configuration)}::text::jsonb)
    ON CONFLICT (entity_id) DO UPDATE SET revision = excluded.revision, value = excluded.value
    WHERE configuration.revision = excluded.revision - 1
    RETURNING 1`
    if (written.length === 0) {
      return yield* Effect.die(new Error(`another session actor has written configuration ${revision} already`))
    }
    yield* sql`
    INSERT INTO configuration_changes
      (revision, changed_at, by_kind, by_id, by_name, fields, before, after, taken_back)
    VALUES (${revision}, to_timestamp(${atMs / 1000}::float8), ${by.kind}, ${by.id}, ${by.name}, ${[...fields]}::text[],
      ${JSON.stringify(before)}::text::jsonb, ${JSON.stringify(after)}::text::jsonb, ${takenBack})`
  },
)

/** The session was saved by a version without configurations. */
const ofSavedSession = (session: unknown) =>
  typeof session === "object" && session !== null && "options" in session
    ? Effect.orDie(decodeConfiguration(session.options))
    : Effect.succeed(defaultConfiguration)

const makeConfigurations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const load = Effect.gen(function* () {
    const [row] = yield* orStoreUnavailable(sql<{ revision: number; value: unknown }>`
      SELECT revision, value FROM configuration WHERE entity_id = ${sessionEntityId}`)
    if (row === undefined) return null
    return yield* Effect.orDie(decodeState({ revision: row.revision, configuration: row.value }))
  })
  const read = Effect.gen(function* () {
    const state = yield* load
    if (state !== null) return state.configuration
    const [row] = yield* orStoreUnavailable(sql<{ session: unknown }>`
      SELECT session FROM system_sessions WHERE entity_id = ${sessionEntityId}`)
    return yield* ofSavedSession(row?.session)
  })
  const [current, forget] = yield* Effect.cachedInvalidateWithTTL(read, (exit) => Exit.isSuccess(exit) ? staleMsMax : 0)

  const changes: ConfigurationHistory["Service"]["changes"] = Effect.fnUntraced(function* (beforeRevision, limit) {
    const rows = yield* orStoreUnavailable(sql<Record<string, unknown>>`
      SELECT revision, (extract(epoch FROM changed_at) * 1000)::float8 AS "atMs", by_kind AS kind, by_id AS id, by_name AS name,
        fields, before, after, taken_back AS "takenBack"
      FROM configuration_changes
      WHERE ${beforeRevision}::integer IS NULL OR revision < ${beforeRevision}::integer
      ORDER BY revision DESC LIMIT ${limit}`)
    return yield* Effect.forEach(
      rows,
      ({ id, kind, name, ...row }) => Effect.orDie(decodeChange({ ...row, by: { kind, id, name } })),
    )
  })

  return Context.make(ConfigurationStore, { load, forget }).pipe(
    Context.add(Configurations, { current }),
    Context.add(ConfigurationHistory, { changes }),
  )
})

export const layerConfigurations: Layer.Layer<
  ConfigurationStore | Configurations | ConfigurationHistory,
  never,
  SqlClient.SqlClient
> = Layer.effectContext(makeConfigurations)
