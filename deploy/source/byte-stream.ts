/**
 * A stream of bytes without an end: a serial device, a pipe by its name, stdin; a file is read to its end.
 *
 * Reads without blocking: a read that waits in the kernel would keep the process from ending. A device that is unplugged is
 * waited for (its name goes, or comes to stand for another one); a pipe whose writer has gone waits for the next one.
 */
import { Clock, Effect, type Scope } from "effect"
import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { UnreadableRecording } from "./unreadable-recording.ts"

/** The name that stands for what comes in through stdin. */
export const stdinName = "-"

export interface ByteStream {
  /** Bytes of a device come when they are measured; those of a pipe or a file may come at once. */
  readonly isDevice: boolean
  /** The next bytes, at most `pieceBytes`; null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, UnreadableRecording>
}

/** Some frames, and less than a tenth of a second of a serial line. */
const pieceBytes = 4096
const pollMs = 20
/** A device that is not there is looked for again after this long. */
const absentMs = 1000

/** What a read says while there is nothing to read. */
const nothingYet: ReadonlySet<string> = new Set(["EAGAIN", "EWOULDBLOCK"])
/** What it says when the device is gone. */
const gone: ReadonlySet<string> = new Set(["EIO", "ENXIO", "ENODEV", "ENOENT", "EBADF"])

/** Opens a stream; it is closed with the scope. */
export const openByteStream = (path: string): Effect.Effect<ByteStream, UnreadableRecording, Scope.Scope> =>
  path === stdinName ? Effect.succeed(readStdin()) : openPath(path)

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const openPath = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<ByteStream, UnreadableRecording, Scope.Scope> {
  const attempt = <A>(use: () => Promise<A>) =>
    Effect.tryPromise({
      try: use,
      catch: (error) => ({ code: codeOf(error), failure: UnreadableRecording.of(path, error) }),
    })
  const openHandle = attempt(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK))
  const buffer = new Uint8Array(pieceBytes)

  let handle: FileHandle | null = yield* Effect.mapError(openHandle, ({ failure }) => failure)
  const close = Effect.suspend(() => {
    const open = handle
    handle = null
    return open === null ? Effect.void : Effect.ignore(Effect.promise(() => open.close()))
  })
  yield* Effect.addFinalizer(() => close)
  const opened = yield* Effect.mapError(attempt(() => handle!.stat()), ({ failure }) => failure)

  /** Whether the name still stands for what is open. */
  const isThere = attempt(async () => (await stat(path)).ino === (await handle!.stat()).ino).pipe(
    Effect.catch(() => Effect.succeed(false)),
  )
  /** Bytes that are there; none while there are none yet, null when the device is gone. */
  const readNow = Effect.suspend(() => attempt(() => handle!.read(buffer, 0, pieceBytes, null))).pipe(
    Effect.map(({ bytesRead }) => buffer.subarray(0, bytesRead)),
    Effect.catch(({ code, failure }) =>
      nothingYet.has(code)
        ? Effect.succeed(buffer.subarray(0, 0))
        : gone.has(code)
        ? Effect.succeed(null)
        : Effect.fail(failure)
    ),
  )
  const reopen = Effect.gen(function* () {
    yield* close
    yield* Effect.logWarning(`${path} is gone; it is waited for`)
    while (handle === null) {
      yield* Effect.sleep(absentMs)
      handle = yield* Effect.catch(openHandle, () => Effect.succeed(null))
    }
    yield* Effect.logInfo(`${path} is back`)
  })
  const next = Effect.gen(function* () {
    const beganMs = yield* Clock.currentTimeMillis
    for (let checkMs = beganMs + absentMs;;) {
      const bytes: Uint8Array | null = yield* readNow
      if (bytes !== null && bytes.length > 0) return bytes.slice()
      if (bytes !== null && opened.isFile()) return null
      const nowMs = yield* Clock.currentTimeMillis
      if (bytes === null || (nowMs >= checkMs && !(yield* isThere))) yield* reopen
      else yield* Effect.sleep(pollMs)
      if (nowMs >= checkMs) checkMs = nowMs + absentMs
    }
  })
  return { isDevice: opened.isCharacterDevice(), next }
})

const readStdin = (): ByteStream => {
  const chunks = process.stdin[Symbol.asyncIterator]()
  let rest = new Uint8Array(0)
  const next = Effect.tryPromise({
    try: async () => {
      while (rest.length === 0) {
        const { done, value } = await chunks.next()
        if (done === true) return null
        rest = new Uint8Array(value)
      }
      const piece = rest.subarray(0, pieceBytes)
      rest = rest.subarray(pieceBytes)
      return piece
    },
    catch: (error) => UnreadableRecording.of("stdin", error),
  })
  return { isDevice: process.stdin.isTTY === true, next }
}
