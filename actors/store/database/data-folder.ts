/**
 * The lock of a data folder: only one process at a time uses its contents.
 *
 * The lock is the operating system's, on the file `.folder.lock`. SQLite takes it, because `node:sqlite` is the only interface to file locks
 * that Deno and Node share, and it needs no permission beyond reading and writing files. The system releases the lock when its process ends,
 * also by `kill -9`, so a lock is never stale. It holds between containers that share a volume. The file `.lock` names the holder for
 * messages; it decides nothing.
 *
 * Invariants:
 * 1. `.folder.lock` is never removed: two processes could each lock a file of that name.
 * 2. Root does not use a folder of another user, who could not open afterwards what root has written.
 * 3. This process opens `.folder.lock` by SQLite alone: POSIX releases a process's lock when it closes any descriptor of the file.
 */
import { Effect, Schema, type Scope } from "effect"
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** A data folder that cannot be used now; the message says why and what to do. */
export class DataFolderUnavailable extends Schema.TaggedError<DataFolderUnavailable>()("DataFolderUnavailable", {
  reason: Schema.Literals(["in_use", "not_writable", "of_another_user"]),
  message: Schema.String,
}) {}

const holderPath = (directory: string): string => join(directory, ".lock")

/** The process that holds, or held, a folder. Null if the folder does not name one. */
const holderOf = (directory: string): Promise<string | null> =>
  readFile(holderPath(directory), "utf8").then((holder) => holder.trim() || null, () => null)

/** SQLite's code for a lock that another connection holds. Deno's errors have no code. */
const busy = 5
const isLocked = (cause: unknown): boolean => {
  const { errcode, message } = cause as { readonly errcode?: number; readonly message?: string }
  return errcode === undefined ? /\blocked\b/.test(message ?? "") : (errcode & 0xff) === busy
}

/** Takes the system's lock without waiting. Nothing is written to the file. */
const takeLock = (directory: string): DatabaseSync => {
  const lock = new DatabaseSync(join(directory, ".folder.lock"))
  try {
    lock.exec("PRAGMA journal_mode = MEMORY")
    lock.exec("BEGIN IMMEDIATE")
    return lock
  } catch (cause) {
    lock.close()
    throw cause
  }
}

const elsewhere = "set WAVEPOSE_DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL."

/** Fails for root if the folder belongs to another user. */
const rejectRoot = async (directory: string): Promise<void> => {
  const { uid } = await stat(directory)
  if (process.getuid?.() !== 0 || uid === 0) return
  throw new DataFolderUnavailable({
    reason: "of_another_user",
    message:
      `The data folder ${directory} belongs to the user with the id ${uid}, who could not open what root writes there. ` +
      `Run this as that user (sudo -u '#${uid}', docker run --user ${uid}), or ${elsewhere}`,
  })
}

const unavailable = async (directory: string, cause: unknown): Promise<DataFolderUnavailable> => {
  if (cause instanceof DataFolderUnavailable) return cause
  if (isLocked(cause)) {
    const holder = await holderOf(directory) ?? "another process"
    return new DataFolderUnavailable({
      reason: "in_use",
      message: `The data folder ${directory} is in use by ${holder}. Stop that process first, or ${elsewhere}`,
    })
  }
  const why = cause instanceof Error ? cause.message : String(cause)
  return new DataFolderUnavailable({
    reason: "not_writable",
    message:
      `The data folder ${directory} cannot be written: ${why}. Give this user write access to it, or ${elsewhere}`,
  })
}

interface Held {
  readonly lock: DatabaseSync
  /** The previous holder, if it ended without releasing the folder. */
  readonly before: string | null
}

const hold = async (directory: string): Promise<Held> => {
  await mkdir(directory, { recursive: true })
  await rejectRoot(directory)
  await chmod(directory, 0o700)
  const lock = takeLock(directory)
  try {
    const before = await holderOf(directory)
    await writeFile(holderPath(directory), `process ${process.pid} on ${hostname()}\n`, { mode: 0o600 })
    return { lock, before }
  } catch (cause) {
    lock.close()
    throw cause
  }
}

/** Holds a data folder for the scope: no other process or scope can use it meanwhile. */
export const holdFolder = Effect.fnUntraced(function* (
  directory: string,
): Effect.fn.Return<void, DataFolderUnavailable, Scope.Scope> {
  const { before } = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => hold(directory), catch: (cause) => cause }).pipe(
      Effect.catch((cause) => Effect.flatMap(Effect.promise(() => unavailable(directory, cause)), Effect.fail)),
    ),
    ({ lock }) =>
      Effect.promise(async () => {
        await rm(holderPath(directory), { force: true })
        lock.close()
      }),
  )
  if (before !== null) {
    yield* Effect.logWarning(
      `The data folder ${directory} was last used by ${before}, which ended without closing it. ` +
        "That process is gone, so the folder was taken over.",
    )
  }
})
