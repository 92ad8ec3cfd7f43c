/**
 * The embedded database: PGlite in a worker thread that speaks PostgreSQL's protocol over message ports.
 *
 * Boundary: starts, watches and stops the thread. `database.ts` connects to it as to any PostgreSQL. Only this process can reach it,
 * so a connection needs no password.
 *
 * Invariant: one process at a time opens a folder and holds its lock (`data-folder.ts`).
 */
import { Effect, Schema, type Scope } from "effect"
import { join, resolve } from "node:path"
import type { Duplex } from "node:stream"
import { MessageChannel, Worker } from "node:worker_threads"
import { type DataFolderUnavailable, holdFolder } from "./data-folder.ts"
import { PortStream } from "./port-stream.ts"

/** The embedded database did not start or has ended unexpectedly. The message has the remedy. */
class EmbeddedDatabaseFailed extends Schema.TaggedError<EmbeddedDatabaseFailed>()("EmbeddedDatabaseFailed", {
  message: Schema.String,
}) {}

export interface EmbeddedDatabase {
  /** Opens a connection. A connection to a database that has ended is destroyed. */
  readonly connect: () => Duplex
  /** Fails when the database ends unexpectedly: nothing can be read or stored afterwards. */
  readonly failed: Effect.Effect<never, EmbeddedDatabaseFailed>
}

/** The longest wait for a clean stop before the thread is terminated. Committed data are on disk by then. */
const stopTimeout = "3 seconds"

interface Running {
  readonly worker: Worker
  /** Resolves with the reason when the worker ends. */
  readonly ended: Promise<string>
  readonly connect: () => Duplex
}

/** Connections to a worker. They are destroyed when it ends, because a port does not report that its other side is gone. */
const connectionsTo = (worker: Worker, ended: Promise<string>): () => Duplex => {
  const open = new Set<Duplex>()
  let reason: string | null = null
  const cut = (stream: Duplex) => stream.destroy(new Error(`the embedded database has ended: ${reason}`))
  ended.then((why) => {
    reason = why
    for (const stream of open) cut(stream)
  })
  return () => {
    const { port1, port2 } = new MessageChannel()
    const stream = new PortStream(port1)
    open.add(stream)
    stream.once("close", () => open.delete(stream))
    if (reason === null) worker.postMessage(port2, [port2])
    else cut(stream)
    return stream
  }
}

const startWorker = async (directory: string): Promise<Running> => {
  const worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), {
    workerData: { dataDirectory: databaseFolder(directory) },
  })
  const ended = new Promise<string>((resolve) => {
    worker.once("error", (cause) => resolve(String(cause)))
    worker.once("exit", (code) => resolve(`its worker ended with code ${code}`))
  })
  const ready = new Promise<null>((resolve) => worker.once("message", () => resolve(null)))
  const failure = await Promise.race([ready, ended])
  if (failure !== null) throw new Error(failure)
  return { worker, ended, connect: connectionsTo(worker, ended) }
}

const stopWorker = ({ ended, worker }: Running): Effect.Effect<void> =>
  Effect.sync(() => worker.postMessage("stop")).pipe(
    Effect.andThen(Effect.promise(() => ended)),
    Effect.timeoutOrElse({
      duration: stopTimeout,
      orElse: () => Effect.promise(() => worker.terminate()),
    }),
    Effect.asVoid,
  )

const orFailed = <A>(directory: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedDatabaseFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedDatabaseFailed({
        message: `The embedded database in ${directory} did not start: ${cause}. ` +
          "Restore a back-up, or set WAVEPOSE_DATA_DIR to another folder or DATABASE_URL to a PostgreSQL.",
      }),
  })

/** The files of the embedded database in a data folder. */
export const databaseFolder = (dataDirectory: string): string => join(resolve(dataDirectory), "database")

/** Starts the embedded database in `dataDirectory` and stops it when the scope ends, with all data on disk. */
export const startEmbedded = Effect.fnUntraced(function* (
  dataDirectory: string,
): Effect.fn.Return<EmbeddedDatabase, EmbeddedDatabaseFailed | DataFolderUnavailable, Scope.Scope> {
  const directory = resolve(dataDirectory)
  yield* holdFolder(directory)
  const running = yield* Effect.acquireRelease(
    orFailed(directory, () => startWorker(directory)),
    stopWorker,
  )
  const failed = Effect.promise(() => running.ended).pipe(
    Effect.flatMap((reason) =>
      Effect.fail(
        new EmbeddedDatabaseFailed({
          message: `The embedded database in ${directory} ended by itself: ${reason}. Start wavepose again; ` +
            "frames that were answered are kept.",
        }),
      )
    ),
  )
  // Interrupted before the worker is asked to stop, so that a requested stop is not logged as a failure.
  yield* Effect.forkScoped(Effect.catch(failed, ({ message }) => Effect.logError(message)))
  return { connect: running.connect, failed }
})
