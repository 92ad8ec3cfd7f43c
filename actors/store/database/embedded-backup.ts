/**
 * Backs up and restores the embedded database by copying its files while no process has it open.
 *
 * The files are PostgreSQL's own and contain everything that was committed. Copying needs little memory, whatever the size of the
 * database. The keys of encryption at rest are beside the folder and are not copied.
 *
 * Invariant: a folder gets its final name only when its copy is complete.
 */
import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { chmod, cp, mkdir, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type DataFolderUnavailable, holdFolder } from "./data-folder.ts"
import { databaseFolder } from "./embedded.ts"

/** A back-up or restore failed. The message has the reason. */
class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { message: Schema.String }) {}

/** A file that every PostgreSQL database folder contains. */
export const isDatabase = (folder: string): boolean => existsSync(join(folder, "PG_VERSION"))

/** Copies a database folder to a path that does not exist yet. */
const copyDatabase = Effect.fnUntraced(function* (from: string, to: string): Effect.fn.Return<void, BackupFailed> {
  if (!isDatabase(from)) return yield* new BackupFailed({ message: `There is no database in ${from}.` })
  if (existsSync(to)) {
    return yield* new BackupFailed({ message: `${to} is there already: nothing is overwritten. Move it away first.` })
  }
  const partial = `${to}.partial`
  yield* Effect.tryPromise({
    try: async () => {
      await rm(partial, { recursive: true, force: true })
      await mkdir(dirname(to), { recursive: true })
      await cp(from, partial, { recursive: true, preserveTimestamps: true, errorOnExist: true, force: false })
      await chmod(partial, 0o700)
      await rename(partial, to)
    },
    catch: (cause) => new BackupFailed({ message: `${from} could not be copied to ${to}: ${cause}` }),
  })
})

/** Copies the database of a data folder to `folder`. Fails if a service uses it. */
export const backUp = (
  dataDirectory: string,
  folder: string,
): Effect.Effect<void, BackupFailed | DataFolderUnavailable> =>
  Effect.scoped(
    Effect.andThen(holdFolder(resolve(dataDirectory)), copyDatabase(databaseFolder(dataDirectory), resolve(folder))),
  )

/** Copies a back-up into a data folder without a database. */
export const restore = (
  dataDirectory: string,
  folder: string,
): Effect.Effect<void, BackupFailed | DataFolderUnavailable> =>
  Effect.scoped(
    Effect.andThen(holdFolder(resolve(dataDirectory)), copyDatabase(resolve(folder), databaseFolder(dataDirectory))),
  )
