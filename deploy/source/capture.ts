/**
 * A capture that is being decoded: a file or stdin, which may be packed with gzip.
 *
 * Owns the file, the choice of the decoder and the reading. Boundary: `unpacked.ts` unpacks, `core/formats` has the formats of
 * devices, `sim` that of recorded simulations. Invariant: memory holds at most one chunk of the capture and its decoded frames,
 * beside the decoder's own state.
 */
import { Effect, type Scope } from "effect"
import { open } from "node:fs/promises"
import type { StreamIdentity } from "../../core/formats/batch-builder.ts"
import type { CaptureDecoder, DecodeResult, Fault } from "../../core/formats/decoder.ts"
import {
  type CaptureFormat,
  createCaptureDecoder,
  detectFormat,
  detectionBytes,
  isStreamable,
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
import { type Read, readFirst, unpack } from "./unpacked.ts"
import { UnreadableRecording } from "./unreadable-recording.ts"

/** The format of recorded simulations, which contain many routers. */
export const recordingFormat = "wavepose-recording"

/** The routers of a recorded simulation: one receiver that hears every pair of nodes, or each router. */
type RecordingView = "one-receiver" | "every-router"

interface CaptureOptions {
  readonly view?: RecordingView
  /** Packets in a second of a capture without times; null if unknown. */
  readonly rateHz?: number | null
}

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
  { rateHz = null, view = "one-receiver" }: CaptureOptions,
): { readonly format: Capture["format"]; readonly decoder: CaptureDecoder } | null => {
  if (looksLikeRecording(head)) {
    const decoder = view === "every-router" ? new RecordingReader() : new RecordingDecoder(identity)
    return { format: recordingFormat, decoder }
  }
  const format = detectFormat(head)
  return format === null ? null : { format, decoder: createCaptureDecoder(format, identity, rateHz) }
}

const withFault = (result: DecodeResult, fault: Fault | null): DecodeResult =>
  fault === null ? result : { ...result, faults: [...result.faults, fault] }

/** `fault` is why the content ended early, or null. */
const unknownFormat = (file: string, head: Uint8Array, fault: Fault | null): UnreadableRecording =>
  new UnreadableRecording({
    file,
    message: head.length === 0 && fault !== null
      ? `"${file}" contains no record: ${fault.message}.`
      : head.length === 0
      ? `"${file}" is empty: it contains no record.`
      : `"${file}" is not a capture of a known format: ${describeUnknownFile(head)}`,
  })

/** Opens a capture. Its file closes with the scope. */
export const openCapture = Effect.fnUntraced(function* (
  file: string,
  identity: StreamIdentity,
  options: CaptureOptions = {},
): Effect.fn.Return<Capture, UnreadableRecording, Scope.Scope> {
  const opened = yield* (file === stdinName ? openStdin : openFile(file))
  const { bytesRead, lengthBytes } = opened
  const { fault, read } = yield* unpack(opened.read)
  const head = yield* readFirst(read, detectionBytes)
  const known = decoderOf(head, identity, options)
  if (known === null) return yield* unknownFormat(file, head, fault())
  const { decoder, format } = known
  if (typeof options.rateHz === "number" && (format === recordingFormat || isStreamable(format))) {
    return yield* new UnreadableRecording({
      file,
      message: `"${file}" has times, so --rate has no effect. Leave it out.`,
    })
  }
  let chunk: Uint8Array | null = head
  let ended = false

  const next = Effect.gen(function* () {
    if (ended) return null
    const bytes: Uint8Array = chunk ?? (yield* read)
    chunk = null
    ended = bytes.length === 0
    return ended ? withFault(decoder.end(), fault()) : decoder.push(bytes)
  })

  return {
    format,
    hardware: () => decoder.hardware,
    next,
    share: () => lengthBytes === null || lengthBytes === 0 ? null : Math.min(1, bytesRead() / lengthBytes),
  }
})

/** The header of a recorded simulation; null for other captures. Fails for what is no capture. */
export const readRecordedHeader = (file: string): Effect.Effect<RecordingHeader | null, UnreadableRecording> =>
  Effect.scoped(Effect.gen(function* () {
    const { fault, read } = yield* unpack((yield* openFile(file)).read)
    const head = yield* readFirst(read, detectionBytes)
    const header = readRecordingHeader(head)
    if (header !== null) return header
    if (!looksLikeRecording(head)) return detectFormat(head) === null ? yield* unknownFormat(file, head, fault()) : null
    return yield* new UnreadableRecording({
      file,
      message: `"${file}" begins as a recording, but its second line is no header that this version reads.`,
    })
  }))

interface Opened {
  readonly read: Read
  /** Null for stdin. */
  readonly lengthBytes: number | null
  readonly bytesRead: () => number
}

const openFile = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<Opened, UnreadableRecording, Scope.Scope> {
  const handle = yield* Effect.acquireRelease(
    attempt(file, () => open(file)),
    (handle) => Effect.promise(() => handle.close()),
  )
  const stat = yield* attempt(file, () => handle.stat())
  let total = 0
  const read = attempt(file, async () => {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(detectionBytes), 0, detectionBytes)
    total += bytesRead
    return buffer.subarray(0, bytesRead)
  })
  return { read, lengthBytes: stat.isFile() ? stat.size : null, bytesRead: () => total }
})

const openStdin = Effect.map(openByteStream(stdinName), ({ next }): Opened => ({
  read: Effect.map(next, (bytes) => bytes ?? new Uint8Array(0)),
  lengthBytes: null,
  bytesRead: () => 0,
}))

const attempt = <A>(file: string, use: () => Promise<A>): Effect.Effect<A, UnreadableRecording> =>
  Effect.tryPromise({ try: use, catch: (error) => UnreadableRecording.of(file, error) })
