/**
 * Back-up of the embedded database: its folder of files, copied while nobody has it open, and back.
 *
 * The files are PostgreSQL's own, and hold everything that was committed. Copying them takes no memory to speak of, however large the
 * database is. Keys of encryption at rest lie beside the folder, and are not copied.
 *
 * Invariant: what has the name of a back-up, or of a database, is whole: a copy gets its name when it is finished.
 */
import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { chmod, cp, mkdir, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type DataFolderUnavailable, holdFolder } from "./data-folder.ts"
import { databaseFolder } from "./embedded.ts"

/** A back-up or a restore that was not made; the message says why. */
class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { message: Schema.String }) {}

/** What every folder of a PostgreSQL database has. */
export const isDatabase = (folder: string): boolean => existsSync(join(folder, "PG_VERSION"))

/** Copies a database's folder to where nothing is yet. */
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

/** Copies the database of a data folder to `folder`. No service may run on it. */
export const backUp = (
  dataDirectory: string,
  folder: string,
): Effect.Effect<void, BackupFailed | DataFolderUnavailable> =>
  Effect.scoped(
    Effect.andThen(holdFolder(resolve(dataDirectory)), copyDatabase(databaseFolder(dataDirectory), resolve(folder))),
  )

/** Copies a back-up into a data folder that has no database. */
export const restore = (
  dataDirectory: string,
  folder: string,
): Effect.Effect<void, BackupFailed | DataFolderUnavailable> =>
  Effect.scoped(
    Effect.andThen(holdFolder(resolve(dataDirectory)), copyDatabase(resolve(folder), databaseFolder(dataDirectory))),
  )
