/**
 * The content of a file that may be packed with gzip.
 *
 * Owns the unpacking, as the file is read, and its bound. Boundary: `capture.ts` reads the file and decodes the content. Other packed
 * files are not unpacked. A gzip file that was cut is read to its end, like any other cut capture.
 */
import { Effect, type Scope } from "effect"
import { pipeline, Readable } from "node:stream"
import { constants, createGunzip } from "node:zlib"
import type { Fault } from "../../core/formats/decoder.ts"
import { UnreadableRecording } from "./unreadable-recording.ts"

/** Reads the next bytes of a capture; none at its end. */
export type Read = Effect.Effect<Uint8Array, UnreadableRecording>

interface Unpacked {
  readonly read: Read
  /** Why the content ended early; null if it did not. */
  readonly fault: () => Fault | null
}

/** Maximum size of the content of a gzip file, bytes. A small file can unpack to any size. */
const unpackedBytesMax = 2 ** 34
const pieceBytes = 65_536
const magic = [0x1f, 0x8b, 8]
const nothing = new Uint8Array(0)

/** The bytes of `read`, which are unpacked if they begin as gzip. */
export const unpack = Effect.fnUntraced(function* (
  read: Read,
  bytesMax: number = unpackedBytesMax,
): Effect.fn.Return<Unpacked, UnreadableRecording, Scope.Scope> {
  let first: Uint8Array | null = yield* readFirst(read, magic.length)
  const begin = first
  const all = Effect.suspend(() => {
    const bytes = first
    first = null
    return bytes === null ? read : Effect.succeed(bytes)
  })
  return magic.every((byte, i) => begin[i] === byte) ? yield* gunzip(all, bytesMax) : { read: all, fault: () => null }
})

/** Reads at least `bytes` bytes, unless there are fewer. */
export const readFirst = Effect.fnUntraced(function* (read: Read, bytes: number) {
  let head = yield* read
  while (head.length > 0 && head.length < bytes) {
    const more = yield* read
    if (more.length === 0) break
    const joined = new Uint8Array(head.length + more.length)
    joined.set(head)
    joined.set(more, head.length)
    head = joined
  }
  return head
})

const gunzip = Effect.fnUntraced(function* (
  read: Read,
  bytesMax: number,
): Effect.fn.Return<Unpacked, never, Scope.Scope> {
  async function* packed(): AsyncGenerator<Uint8Array> {
    for (let bytes = await Effect.runPromise(read); bytes.length > 0; bytes = await Effect.runPromise(read)) yield bytes
  }
  const source = Readable.from(packed(), { objectMode: false })
  // With this flush, the end of a cut file is delivered.
  const content = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: pieceBytes })
  pipeline(source, content, () => {})
  yield* Effect.addFinalizer(() => Effect.sync(() => source.destroy()))
  const pieces = content[Symbol.asyncIterator]()
  let offset = 0
  let fault: Fault | null = null
  const end = (reason: Fault["reason"], message: string): Uint8Array => {
    fault = { offset, reason, message }
    return nothing
  }
  const next = Effect.tryPromise({ try: () => pieces.next(), catch: (error) => error }).pipe(
    Effect.map(({ done, value }) => {
      if (done === true) return nothing
      const bytes = value as Uint8Array
      if (offset + bytes.length > bytesMax) {
        return end("too-long", `the gzip file has more than ${bytesMax} bytes. Unpack it and name the unpacked file`)
      }
      offset += bytes.length
      return bytes
    }),
    Effect.catch((error) =>
      error instanceof UnreadableRecording ? Effect.fail(error) : Effect.succeed(
        end("not-a-record", `the gzip file is damaged: ${error instanceof Error ? error.message : error}`),
      )
    ),
  )
  return { read: Effect.suspend(() => fault === null ? next : Effect.succeed(nothing)), fault: () => fault }
})
