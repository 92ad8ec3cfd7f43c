/**
 * Compares the schema version of a database, the number of its last migration, with that of this program.
 *
 * Invariant: a program never uses a schema that is newer than its own: it would write rows that the newer program misreads.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The schema of the database cannot be used by this program. The message has both versions and the remedy. */
class SchemaMismatch extends Schema.TaggedError<SchemaMismatch>()("SchemaMismatch", {
  message: Schema.String,
}) {}

/** The table of applied migrations. */
export const migrationTable = "wavepose_migrations"

/** The schema version of the database; 0 before the first migration. */
export const schemaVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ there: boolean }>`SELECT to_regclass(${migrationTable}) IS NOT NULL AS there`
  if (!table!.there) return 0
  const [row] = yield* sql<{ version: number }>`
    SELECT coalesce(max(migration_id), 0)::int4 AS version FROM ${sql(migrationTable)}`
  return row!.version
})

/** Rejects a database whose schema is newer than `known`. */
export const rejectNewer = Effect.fnUntraced(function* (known: number) {
  const version = yield* schemaVersion
  if (version <= known) return
  yield* new SchemaMismatch({
    message:
      `The database has schema version ${version}, and this wavepose supports versions up to ${known}: a newer ` +
      "wavepose has upgraded it. Start that version or a later one, or restore a back-up from before the upgrade.",
  })
})

/** Rejects a database whose schema is not `known`, for commands that must not migrate it. */
export const requireVersion = Effect.fnUntraced(function* (known: number) {
  yield* rejectNewer(known)
  const version = yield* schemaVersion
  if (version === known) return
  yield* new SchemaMismatch({
    message: `The database has schema version ${version}, and this command needs version ${known}. ` +
      "Start this wavepose on the database once, which upgrades it, and try again.",
  })
})
