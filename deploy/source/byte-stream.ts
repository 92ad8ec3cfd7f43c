/**
 * A stream of bytes: a serial device, a named pipe or stdin without an end, or a file to its end.
 *
 * Reads do not block, because a read that waits in the kernel would keep the process from ending. If a device is unplugged (its name
 * disappears or names another device), the stream waits for it. A pipe without a writer waits for the next one.
 */
import { Clock, Effect, type Scope } from "effect"
import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { UnreadableRecording } from "./unreadable-recording.ts"

/** The name of stdin. */
export const stdinName = "-"

export interface ByteStream {
  /** Bytes of a device arrive when they are measured, those of a file at once. Those of a pipe may do either. */
  readonly kind: "device" | "pipe" | "file"
  /** The next bytes, at most `pieceBytes`; null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, UnreadableRecording>
}

/** Several frames, and less than a tenth of a second of a serial line. */
const pieceBytes = 4096
const pollMs = 20
/** Interval of the attempts to open an absent device. */
const absentMs = 1000

/** Error codes of a read without data. */
const nothingYet: ReadonlySet<string> = new Set(["EAGAIN", "EWOULDBLOCK"])
/** Error codes of a read from an unplugged device. */
const gone: ReadonlySet<string> = new Set(["EIO", "ENXIO", "ENODEV", "ENOENT", "EBADF"])

/** Opens a stream. It closes with the scope. */
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

  /** Whether the name still refers to the open device. */
  const isThere = attempt(async () => (await stat(path)).ino === (await handle!.stat()).ino).pipe(
    Effect.catch(() => Effect.succeed(false)),
  )
  /** The available bytes; none if there are none yet, null if the device is gone. */
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
    yield* Effect.logWarning("device disconnected; waiting for it", { path })
    while (handle === null) {
      yield* Effect.sleep(absentMs)
      handle = yield* Effect.catch(openHandle, () => Effect.succeed(null))
    }
    yield* Effect.logInfo("device connected again", { path })
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
  return { kind: opened.isCharacterDevice() ? "device" : opened.isFile() ? "file" : "pipe", next }
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
  return { kind: process.stdin.isTTY === true ? "device" : "pipe", next }
}
