/**
 * The embedded database: PGlite in a worker thread, behind PostgreSQL's protocol on a Unix socket in the data folder.
 *
 * Boundary: it only starts and stops it; `database.ts` connects like to any PostgreSQL. The folder is the owner's alone,
 * so the socket needs no password.
 */
import { Effect, Schema, type Scope } from "effect"
import { chmod, mkdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Worker } from "node:worker_threads"

/** The embedded database did not start; the message says what to do. */
export class EmbeddedDatabaseFailed extends Schema.TaggedError<EmbeddedDatabaseFailed>()("EmbeddedDatabaseFailed", {
  message: Schema.String,
}) {}

/** Starts the embedded database in `dataDirectory`; stops it, with everything on disk, when the scope ends. */
export const startEmbedded = Effect.fnUntraced(function* (
  dataDirectory: string,
): Effect.fn.Return<{ readonly socketPath: string }, EmbeddedDatabaseFailed, Scope.Scope> {
  const directory = resolve(dataDirectory)
  const socketPath = join(directory, ".s.PGSQL.5432")
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await mkdir(directory, { recursive: true })
        await chmod(directory, 0o700)
        await rm(socketPath, { force: true })
        const worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), {
          workerData: { dataDirectory: join(directory, "database"), socketPath },
        })
        await new Promise<void>((ready, fail) => {
          worker.once("message", () => ready())
          worker.once("error", fail)
          worker.once("exit", (code) => fail(new Error(`its worker ended with code ${code}`)))
        })
        return worker
      },
      catch: (cause) =>
        new EmbeddedDatabaseFailed({
          message: `The embedded database in ${directory} did not start: ${cause}. ` +
            "Is another wavepose running there? Set WAVEPOSE_DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL.",
        }),
    }),
    (worker) =>
      Effect.promise(() =>
        new Promise<void>((stopped) => {
          worker.once("exit", () => stopped())
          worker.postMessage("stop")
        })
      ),
  )
  return { socketPath }
})
