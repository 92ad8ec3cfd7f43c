/**
 * An embedded database with all tables, made once per machine and copied for each test: the migrations take 1.5 s of CPU time. The tests of
 * migrations and of a first start make theirs from nothing.
 */
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { cp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cacheFolder } from "../../actors/runtime/cache-folder.ts"
import { layerDatabase } from "../../actors/store/database/database.ts"
import { databaseFolder, startEmbedded } from "../../actors/store/database/embedded.ts"
import { keepTemplate } from "../../actors/store/database/embedded-template.ts"

const migrationFolder = fileURLToPath(new URL("../../actors/store/migrations", import.meta.url))

/** Depends on the empty database and on the text of the migrations. */
const templateFolder = async (): Promise<string> => {
  const key = createHash("sha256").update(await keepTemplate())
  for (const file of readdirSync(migrationFolder).toSorted()) key.update(readFileSync(join(migrationFolder, file)))
  return join(cacheFolder, `migrated-${key.digest("hex").slice(0, 16)}`)
}

const make = async (template: string): Promise<void> => {
  mkdirSync(cacheFolder, { recursive: true })
  const directory = mkdtempSync(join(cacheFolder, "migrating-"))
  try {
    const opened = Effect.flatMap(startEmbedded(directory), (location) => Layer.build(layerDatabase(location)))
    await Effect.runPromise(Effect.scoped(opened))
    await rename(databaseFolder(directory), template)
  } catch (cause) {
    // Another test file was faster: its template is the same.
    if (!existsSync(template)) throw cause
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Puts a migrated database into an empty data folder. */
export const addMigratedDatabase = async (dataDirectory: string): Promise<void> => {
  const template = await templateFolder()
  if (!existsSync(template)) await make(template)
  await cp(template, databaseFolder(dataDirectory), { recursive: true })
}
