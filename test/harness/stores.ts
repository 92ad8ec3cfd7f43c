/** Stores on an embedded database of their own, for the tests of one `describe`. */
import { Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { embeddedDatabase, type TestDatabase } from "./database.ts"

/** Starts the stores before the tests and ends them afterwards; returns what runs an effect on them, and their database. */
export const useStores = <Stores, E>(layerOf: (database: TestDatabase) => Layer.Layer<Stores, E>) => {
  let database: TestDatabase
  let runtime: ManagedRuntime.ManagedRuntime<Stores, E>
  const run = <A, F>(effect: Effect.Effect<A, F, Stores>) => runtime.runPromise(effect)
  beforeAll(async () => {
    database = await embeddedDatabase()
    runtime = ManagedRuntime.make(layerOf(database))
    await run(Effect.void)
  }, 60_000)
  afterAll(async () => {
    await runtime.dispose()
    await database.stop()
  })
  return { run, database: () => database }
}
