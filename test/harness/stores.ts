/** An embedded database, or stores on one, for the tests of one `describe` or file. */
import { Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { embeddedDatabase, type TestDatabase } from "./database.ts"

/** Starts a database before the tests and ends it afterwards; returns how to reach it. */
export const useDatabase = (): () => TestDatabase => {
  let database: TestDatabase
  beforeAll(async () => void (database = await embeddedDatabase()), 60_000)
  afterAll(() => database.stop())
  return () => database
}

/** Starts the stores before the tests and ends them afterwards; returns what runs an effect on them, and their database. */
export const useStores = <Stores, E>(layerOf: (database: TestDatabase) => Layer.Layer<Stores, E>) => {
  const database = useDatabase()
  let runtime: ManagedRuntime.ManagedRuntime<Stores, E>
  const run = <A, F>(effect: Effect.Effect<A, F, Stores>) => runtime.runPromise(effect)
  beforeAll(async () => {
    runtime = ManagedRuntime.make(layerOf(database()))
    await run(Effect.void)
  }, 60_000)
  afterAll(() => runtime.dispose())
  return { run, database }
}
