/** A database that a newer version has upgraded is not used, on either kind of database. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  layerConnections,
  layerCurrentDatabase,
  layerDatabase,
  migrations,
} from "../../../../actors/store/database/database.ts"
import { postgresDatabase, type TestDatabase, unmigratedDatabase } from "../../../harness/database.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

const known = Object.keys(migrations).length
const kinds = [
  { name: "the embedded database", there: true, start: unmigratedDatabase },
  { name: "PostgreSQL", there: await hasPostgres(), start: postgresDatabase },
]

describe.each(kinds.filter(({ there }) => there))("the schema version on $name", ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => void (database = (await start())!), 60_000)
  afterAll(() => database.stop())
  const run = (statement: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ n: number }>(statement)).pipe(
        Effect.provide(layerConnections(database.location)),
      ),
    )
  const opened = (layer: ReturnType<typeof layerDatabase>) => Effect.runPromise(Effect.provide(Effect.void, layer))
  const rejected = (layer: ReturnType<typeof layerDatabase>) =>
    Effect.runPromise(Effect.flip(Effect.provide(Effect.void, layer)))

  it("is taken when it is this program's, and made so when there is none", async () => {
    const none = await rejected(layerCurrentDatabase(database.location))
    expect(none._tag).toBe("SchemaMismatch")
    expect(none.message).toContain(`has schema version 0, and this command needs version ${known}`)
    await opened(layerDatabase(database.location))
    await opened(layerCurrentDatabase(database.location))
  })

  it("is rejected when it is newer, with both versions, and nothing is changed", async () => {
    await run(`INSERT INTO wavepose_migrations (migration_id, name) VALUES (${known + 2}, 'of_the_future')`)
    for (const layer of [layerDatabase(database.location), layerCurrentDatabase(database.location)]) {
      const failure = await rejected(layer)
      expect(failure._tag).toBe("SchemaMismatch")
      expect(failure.message).toContain(`schema version ${known + 2}`)
      expect(failure.message).toContain(`versions up to ${known}`)
      expect(failure.message).toContain("restore a back-up")
    }
    expect(await run("SELECT max(migration_id)::int4 AS n FROM wavepose_migrations")).toEqual([{ n: known + 2 }])
  })
})
