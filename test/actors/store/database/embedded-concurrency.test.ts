/** Statements and transactions of many connections at one time: each has its own answer, and no transaction is broken into. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, expect, it } from "vitest"
import { layerDatabase } from "../../../../actors/store/database/database.ts"
import { useStores } from "../../../harness/stores.ts"

const { run } = useStores(({ location }) => layerDatabase(location))
beforeAll(() => run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE steps (run int, step int)`)))

const unbounded = { concurrency: "unbounded" } as const

it(
  "the embedded database answers each connection its own, while others are in transactions",
  () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const transaction = (run: number, fails: boolean) =>
        Effect.exit(sql.withTransaction(Effect.gen(function* () {
          for (let step = 0; step < 4; step++) yield* sql`INSERT INTO steps VALUES (${run}, ${step})`
          const [mine] = yield* sql<{ count: number }>`SELECT count(*)::int4 AS count FROM steps WHERE run = ${run}`
          expect(mine!.count).toBe(4)
          if (fails) return yield* Effect.fail("taken back")
        })))
      const question = (value: number) =>
        Effect.map(sql<{ value: number }>`SELECT ${value}::int4 AS value`, ([row]) => expect(row!.value).toBe(value))
      yield* Effect.all([
        Effect.forEach(
          Array.from({ length: 30 }, (_, run) => run),
          (run) => transaction(run, run % 3 === 0),
          unbounded,
        ),
        Effect.forEach(
          Array.from({ length: 200 }, (_, value) => value),
          question,
          unbounded,
        ),
      ], unbounded)
      const rows = yield* sql<{ run: number; count: number }>`
      SELECT run, count(*)::int4 AS count FROM steps GROUP BY run ORDER BY run`
      expect(rows).toEqual(
        Array.from({ length: 30 }, (_, run) => ({ run, count: 4 })).filter(({ run }) => run % 3 !== 0),
      )
    })),
  30_000,
)

it(
  "the embedded database holds no more prepared statements than its connections keep",
  () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ask = (i: number) =>
        Effect.map(sql.unsafe<{ value: number }>(`SELECT ${i} AS value`), ([row]) => expect(row!.value).toBe(i))
      yield* Effect.forEach(Array.from({ length: 400 }, (_, i) => i), ask, unbounded)
      const [held] = yield* sql<{ count: number }>`SELECT count(*)::int4 AS count FROM pg_prepared_statements`
      expect(held!.count).toBeGreaterThan(0)
      // Eight connections of sixteen, and what each is about to close.
      expect(held!.count).toBeLessThanOrEqual(8 * 17)
    })),
  30_000,
)
