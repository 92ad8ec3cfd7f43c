/**
 * The embedded database: PGlite in a worker thread, behind PostgreSQL's protocol on a Unix socket in the data folder.
 *
 * Boundary: it only starts, watches and stops it; `database.ts` connects like to any PostgreSQL. The folder is the owner's
 * alone, so the socket needs no password.
 *
 * Invariant: a folder is opened by one process at a time, which holds its lock file and whose socket nobody removes.
 */
import { Effect, Schema, type Scope } from "effect"
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join, resolve } from "node:path"
import { Worker } from "node:worker_threads"

/** The embedded database did not start or ended by itself; the message says what to do. */
export class EmbeddedDatabaseFailed extends Schema.TaggedError<EmbeddedDatabaseFailed>()("EmbeddedDatabaseFailed", {
  message: Schema.String,
}) {}

export interface EmbeddedDatabase {
  readonly socketPath: string
  /** Fails when the database ends without being stopped: nothing can be read or kept from then on. */
  readonly failed: Effect.Effect<never, EmbeddedDatabaseFailed>
}

/** How long a database that listens may take to accept a connection. */
const probeTimeoutMs = 1_000
/** How long it may take to stop before its thread is ended; what was committed is on disk by then. */
const stopTimeout = "3 seconds"

/** Folders that this process holds: after a restart in a container a stale lock may carry this process's own id. */
const held = new Set<string>()

/** Whether somebody listens on a socket. */
const answers = (socketPath: string): Promise<boolean> =>
  new Promise((answered) => {
    const socket = connect({ path: socketPath })
    const end = (is: boolean) => {
      socket.destroy()
      answered(is)
    }
    socket.setTimeout(probeTimeoutMs, () => end(true))
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

/** Whether a process of this id runs; one that may not be asked does. */
const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as { readonly code?: string }).code === "EPERM"
  }
}

const isLive = (pid: number, directory: string): boolean =>
  Number.isInteger(pid) && pid > 0 && (pid === process.pid ? held.has(directory) : runs(pid))

const codeOf = (cause: unknown): string | undefined => (cause as { readonly code?: string } | null)?.code

/** Takes the lock of a folder; the lock of a process that is no more is replaced. */
const lock = async (directory: string): Promise<void> => {
  const lockPath = join(directory, ".lock")
  const ownPath = `${lockPath}.${process.pid}`
  // Linked into place when it is whole, so that nobody reads an empty lock.
  await writeFile(ownPath, String(process.pid), { mode: 0o600 })
  try {
    await link(ownPath, lockPath)
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
    const holder = Number(await readFile(lockPath, "utf8"))
    if (isLive(holder, directory)) {
      throw new Error(`process ${holder} holds ${lockPath} (remove that file if the process is no wavepose)`)
    }
    await rm(lockPath, { force: true })
    await link(ownPath, lockPath)
  } finally {
    await rm(ownPath, { force: true })
  }
  held.add(directory)
}

const unlock = async (directory: string): Promise<void> => {
  held.delete(directory)
  await rm(join(directory, ".lock"), { force: true })
}

interface Running {
  readonly worker: Worker
  /** Resolves with why the worker ended, whenever it does. */
  readonly ended: Promise<string>
}

const startWorker = async (directory: string, socketPath: string): Promise<Running> => {
  if (await answers(socketPath)) throw new Error(`somebody listens on ${socketPath}`)
  await rm(socketPath, { force: true })
  const worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), {
    workerData: { dataDirectory: databaseFolder(directory), socketPath },
  })
  const ended = new Promise<string>((resolve) => {
    worker.once("error", (cause) => resolve(String(cause)))
    worker.once("exit", (code) => resolve(`its worker ended with code ${code}`))
  })
  const ready = new Promise<null>((resolve) => worker.once("message", () => resolve(null)))
  const failure = await Promise.race([ready, ended])
  if (failure !== null) throw new Error(failure)
  return { worker, ended }
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

/** Holds a data folder for the scope: nobody else opens its database meanwhile. */
export const holdFolder = (directory: string): Effect.Effect<void, EmbeddedDatabaseFailed, Scope.Scope> =>
  Effect.acquireRelease(
    orFailed(directory, async () => {
      await mkdir(directory, { recursive: true })
      await chmod(directory, 0o700)
      await lock(directory)
    }),
    () => Effect.promise(() => unlock(directory)),
  )

const orFailed = <A>(directory: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedDatabaseFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedDatabaseFailed({
        message: `The embedded database in ${directory} did not start: ${cause}. ` +
          "Is another wavepose running there? Set WAVEPOSE_DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL.",
      }),
  })

/** The files of the embedded database of a data folder. */
export const databaseFolder = (dataDirectory: string): string => join(resolve(dataDirectory), "database")

/** Starts the embedded database in `dataDirectory`; stops it, with everything on disk, when the scope ends. */
export const startEmbedded = Effect.fnUntraced(function* (
  dataDirectory: string,
): Effect.fn.Return<EmbeddedDatabase, EmbeddedDatabaseFailed, Scope.Scope> {
  const directory = resolve(dataDirectory)
  const socketPath = join(directory, ".s.PGSQL.5432")
  yield* holdFolder(directory)
  const running = yield* Effect.acquireRelease(
    orFailed(directory, () => startWorker(directory, socketPath)),
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
  // Ends before the worker is told to stop.
  yield* Effect.forkScoped(Effect.catch(failed, ({ message }) => Effect.logError(message)))
  return { socketPath, failed }
})
