/**
 * Databases for store tests: every available kind, each empty.
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseLocation } from "../../actors/store/database/database-location.ts"
import { startEmbedded } from "../../actors/store/database/embedded.ts"
import { addMigratedDatabase } from "./migrated-database.ts"
import { startPostgres } from "./postgres.ts"

export interface TestDatabase {
  readonly location: DatabaseLocation
  readonly stop: () => Promise<void>
}

/** The embedded database of a folder, which is removed with it. */
const embeddedIn = async (directory: string): Promise<TestDatabase> => {
  let release = () => {}
  const held = new Promise<void>((resolve) => release = resolve)
  let running: Promise<void> = Promise.resolve()
  const location = await new Promise<DatabaseLocation>((resolve, reject) => {
    running = Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      resolve(yield* startEmbedded(directory))
      yield* Effect.promise(() => held)
    }))).catch(reject)
  })
  return {
    location,
    stop: async () => {
      release()
      await running
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), "wavepose-pglite-"))

/** An embedded database of its own, with all tables. */
export const embeddedDatabase = async (): Promise<TestDatabase> => {
  const directory = newFolder()
  await addMigratedDatabase(directory)
  return embeddedIn(directory)
}

/** An embedded database of its own, without tables, for tests of migrations. */
export const unmigratedDatabase = (): Promise<TestDatabase> => embeddedIn(newFolder())

/** PostgreSQL, or null if none is available. */
export const postgresDatabase = async (): Promise<TestDatabase | null> => {
  const postgres = await startPostgres()
  return postgres === null ? null : { location: { url: postgres.url }, stop: postgres.stop }
}
