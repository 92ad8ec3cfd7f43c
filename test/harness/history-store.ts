/** Databases with the ports of history on them, for tests that store frames and read them back. */
import { Effect, Layer, ManagedRuntime } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe } from "vitest"
import { layerStores } from "../../deploy/composition/service.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "./database.ts"
import { hasPostgres } from "./postgres.ts"

type Stores = Layer.Success<ReturnType<typeof layerStores>>

interface HistoryStore {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Stores | SqlClient.SqlClient>) => Promise<A>
}

/** One suite, run on every available database, each empty at first. */
export const onEachDatabase = async (name: string, suite: (store: HistoryStore) => void): Promise<void> => {
  const on = (kind: string, start: () => Promise<TestDatabase | null>, skip: boolean) =>
    describe.skipIf(skip)(`${name} on ${kind}`, { timeout: 30_000 }, () => {
      let database: TestDatabase
      let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
      beforeAll(async () => {
        database = (await start())!
        runtime = ManagedRuntime.make(layerStores(database.location))
        await runtime.runPromise(Effect.void)
      }, 60_000)
      afterAll(async () => {
        await runtime.dispose()
        await database.stop()
      })
      suite({ run: (effect) => runtime.runPromise(effect) })
    })
  on("the embedded database", embeddedDatabase, false)
  on("PostgreSQL", postgresDatabase, !await hasPostgres())
}
