/**
 * A capture that is being decoded: a file or stdin.
 *
 * Owns the file, the choice of the decoder and the reading. Boundary: `core/formats` has the formats of devices, `sim` that of recorded
 * simulations. Invariant: memory holds at most one chunk of the capture and its decoded frames, beside the decoder's own state.
 */
import { Effect, type Scope } from "effect"
import { open } from "node:fs/promises"
import type { StreamIdentity } from "../../core/formats/batch-builder.ts"
import type { CaptureDecoder, DecodeResult } from "../../core/formats/decoder.ts"
import {
  type CaptureFormat,
  createCaptureDecoder,
  detectFormat,
  detectionBytes,
} from "../../core/formats/detect-format.ts"
import { describeUnknownFile } from "../../core/formats/unknown-file.ts"
import type { RecordingHeader } from "../../sim/recording/recording.ts"
import {
  looksLikeRecording,
  readRecordingHeader,
  RecordingDecoder,
  RecordingReader,
} from "../../sim/recording/recording-decoder.ts"
import { openByteStream, stdinName } from "./byte-stream.ts"
import { UnreadableRecording } from "./unreadable-recording.ts"

/** The format of recorded simulations, which contain many routers. */
export const recordingFormat = "wavepose-recording"

/** The routers of a recorded simulation: one receiver that hears every pair of nodes, or each router. */
type RecordingView = "one-receiver" | "every-router"

export interface Capture {
  readonly format: CaptureFormat | typeof recordingFormat
  /** The hardware of the records so far; null if they do not name it. */
  readonly hardware: () => string | null
  /** Decodes the next chunk; null after the end. */
  readonly next: Effect.Effect<DecodeResult | null, UnreadableRecording>
  /** Share of the file read so far, 0..1; null if the length is unknown. */
  readonly share: () => number | null
}

/** The decoder of a capture that begins with these bytes; null for an unknown format. */
const decoderOf = (
  head: Uint8Array,
  identity: StreamIdentity,
  view: RecordingView,
): { readonly format: Capture["format"]; readonly decoder: CaptureDecoder } | null => {
  if (looksLikeRecording(head)) {
    const decoder = view === "every-router" ? new RecordingReader() : new RecordingDecoder(identity)
    return { format: recordingFormat, decoder }
  }
  const format = detectFormat(head)
  return format === null ? null : { format, decoder: createCaptureDecoder(format, identity) }
}

const unknownFormat = (file: string, head: Uint8Array): UnreadableRecording =>
  new UnreadableRecording({
    file,
    message: head.length === 0
      ? `"${file}" is empty: it contains no record.`
      : `"${file}" is not a capture of a known format: ${describeUnknownFile(head)}`,
  })

/** Opens a capture. Its file closes with the scope. */
export const openCapture = Effect.fnUntraced(function* (
  file: string,
  identity: StreamIdentity,
  view: RecordingView = "one-receiver",
): Effect.fn.Return<Capture, UnreadableRecording, Scope.Scope> {
  const { lengthBytes, read } = yield* (file === stdinName ? openStdin : openFile(file))
  const head = yield* readHead(read)
  const known = decoderOf(head, identity, view)
  if (known === null) return yield* unknownFormat(file, head)
  const { decoder, format } = known
  let chunk: Uint8Array | null = head
  let bytesRead = 0
  let ended = false

  const next = Effect.gen(function* () {
    if (ended) return null
    const bytes: Uint8Array = chunk ?? (yield* read)
    chunk = null
    bytesRead += bytes.length
    ended = bytes.length === 0
    return ended ? decoder.end() : decoder.push(bytes)
  })

  return {
    format,
    hardware: () => decoder.hardware,
    next,
    share: () => lengthBytes === null || lengthBytes === 0 ? null : Math.min(1, bytesRead / lengthBytes),
  }
})

/** The header of a recorded simulation; null for other captures. Fails for what is no capture. */
export const readRecordedHeader = (file: string): Effect.Effect<RecordingHeader | null, UnreadableRecording> =>
  Effect.scoped(Effect.gen(function* () {
    const { read } = yield* openFile(file)
    const head = yield* readHead(read)
    const header = readRecordingHeader(head)
    if (header !== null) return header
    if (!looksLikeRecording(head)) return detectFormat(head) === null ? yield* unknownFormat(file, head) : null
    return yield* new UnreadableRecording({
      file,
      message: `"${file}" begins as a recording, but its second line is no header that this version reads.`,
    })
  }))

/** Reads the next bytes of a capture; none at its end. */
type Read = Effect.Effect<Uint8Array, UnreadableRecording>

interface Opened {
  readonly read: Read
  /** Null for stdin. */
  readonly lengthBytes: number | null
}

const openFile = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<Opened, UnreadableRecording, Scope.Scope> {
  const handle = yield* Effect.acquireRelease(
    attempt(file, () => open(file)),
    (handle) => Effect.promise(() => handle.close()),
  )
  const stat = yield* attempt(file, () => handle.stat())
  const read = attempt(file, async () => {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(detectionBytes), 0, detectionBytes)
    return buffer.subarray(0, bytesRead)
  })
  return { read, lengthBytes: stat.isFile() ? stat.size : null }
})

const openStdin = Effect.map(openByteStream(stdinName), ({ next }): Opened => ({
  read: Effect.map(next, (bytes) => bytes ?? new Uint8Array(0)),
  lengthBytes: null,
}))

/** Reads the first bytes, as many as the detection needs and the capture has. */
const readHead = Effect.fnUntraced(function* (read: Read) {
  let head = yield* read
  while (head.length > 0 && head.length < detectionBytes) {
    const more = yield* read
    if (more.length === 0) break
    const joined = new Uint8Array(head.length + more.length)
    joined.set(head)
    joined.set(more, head.length)
    head = joined
  }
  return head
})

const attempt = <A>(file: string, use: () => Promise<A>): Effect.Effect<A, UnreadableRecording> =>
  Effect.tryPromise({ try: use, catch: (error) => UnreadableRecording.of(file, error) })
