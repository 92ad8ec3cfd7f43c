/** Programs of different versions never use one PostgreSQL at the same time. */
import { Effect, Exit, Fiber, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { knownSchema, layerConnections, layerDatabase } from "../../../../actors/store/database/database.ts"
import { guardVersion } from "../../../../actors/store/database/version-guard.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../../../harness/postgres.ts"
import { eventually } from "../../../harness/service.ts"

const migrationsTable = "wavepose_migrations"
const locks = "FROM pg_locks WHERE locktype = 'advisory' AND classid = 2002876005"

describe.skipIf(!await hasPostgres())("nodes of several versions on one PostgreSQL", () => {
  let postgres: TestPostgres
  const ends: Array<() => Promise<void>> = []
  beforeAll(async () => {
    postgres = (await startPostgres())!
    await Effect.runPromise(Effect.provide(Effect.void, layerDatabase({ url: postgres.url })))
  }, 60_000)
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  afterAll(() => postgres.stop())

  const run = (statement: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ pid: number }>(statement)).pipe(
        Effect.provide(layerConnections({ url: postgres.url })),
      ),
    )
  const holders = async () => (await run(`SELECT pid ${locks}`)).map(({ pid }) => pid)

  /** A node of this version, which runs until it has failed or is ended. */
  const start = async (version: string) => {
    const scope = Scope.makeUnsafe()
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    ends.push(end)
    const failed = await Effect.runPromise(Scope.provide(guardVersion(postgres.url, version), scope))
    return { end, failure: () => Effect.runPromise(Effect.flip(failed)) }
  }

  it("start while no other version runs, and say which one does", async () => {
    const first = await start("1.0.0")
    await start("1.0.0")
    const refused = start("1.1.0")
    await expect(refused).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    await expect(refused).rejects.toThrow(
      new RegExp(`This is wavepose 1\\.1\\.0 .* another version .*: 1\\.0\\.0 with schema ${knownSchema} at `),
    )
    expect(await holders()).toHaveLength(2)
    await first.end()
    await expect(start("1.1.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    for (const end of ends) await end()
    await start("1.1.0")
    await expect(start("1.0.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
  })

  it("end when the schema becomes newer than their own", async () => {
    const node = await start("1.0.0")
    await run(`INSERT INTO ${migrationsTable} (migration_id, name) VALUES (${knownSchema + 1}, 'of_the_future')`)
    try {
      expect(await node.failure()).toMatchObject({ _tag: "SchemaMismatch" })
    } finally {
      await run(`DELETE FROM ${migrationsTable} WHERE migration_id > ${knownSchema}`)
    }
  })

  it("go on after a lost session, but not beside a version that came meanwhile", async () => {
    const node = await start("1.0.0")
    const lose = () => run(`SELECT pg_terminate_backend(pid)::text, pid ${locks}`)
    const [{ pid }] = await lose() as [{ pid: number }]
    await eventually(holders, ([now]) => now !== undefined && now !== pid)
    await expect(start("1.1.0")).rejects.toMatchObject({ _tag: "OtherVersionRuns" })
    await lose()
    // The lost session is noticed a second later.
    await start("1.1.0")
    expect(await node.failure()).toMatchObject({ _tag: "OtherVersionRuns" })
  })

  it("wait before they upgrade the schema, until nodes that have lost their session know it", async () => {
    await run(`UPDATE ${migrationsTable} SET migration_id = -1 WHERE migration_id = ${knownSchema}`)
    try {
      await Effect.runPromise(
        Effect.gen(function* () {
          const started = yield* Effect.forkChild(guardVersion(postgres.url, "1.1.0"))
          const look = Effect.promise(holders)
          yield* Effect.promise(() => eventually(holders, ({ length }) => length === 1))
          // Long enough for what follows the lock, if nothing waits.
          for (let i = 0; i < 5; i++) yield* look
          yield* TestClock.adjust("4 seconds")
          for (let i = 0; i < 5; i++) yield* look
          expect(started.pollUnsafe()).toBeUndefined()
          const passing = yield* Effect.forkChild(Effect.forever(Effect.andThen(TestClock.adjust("1 second"), look)))
          yield* Fiber.join(started)
          yield* Fiber.interrupt(passing)
        }).pipe(Effect.scoped, Effect.provide(TestClock.layer())),
      )
    } finally {
      await run(`UPDATE ${migrationsTable} SET migration_id = ${knownSchema} WHERE migration_id = -1`)
    }
  })
})
