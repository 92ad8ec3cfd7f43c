/**
 * A recording of a simulation or of live nodes: a file that replays like a capture, with the sites that it was made in.
 *
 * Owns the format and the encoder; `recording-decoder.ts` reads recordings.
 *
 *     wavepose-recording 1\n
 *     {"scenarioId": ..., "seed": ..., "emptySeconds": ..., "sites": [...], "capture": {...}}\n
 *     (length as a varint, message wavepose.v1.CsiBatch) ...
 *
 * The first two lines are text; a delimited protobuf stream in time order follows. `FILE.truth.jsonl` beside the file has one line
 * of JSON per hop: the truth at the end of the hop. A live recording has `capture` instead of a scenario; its header ends with blanks, so
 * that labels and routers can be added in place while it grows.
 *
 * Invariants:
 * 1. Times are microseconds since the recording began, common to all routers: the same scenario and seed give the same bytes on any
 *    day. A router whose clock is behind reports 0 until its clock passes the beginning.
 * 2. Every batch keeps its source, so simulated data never returns as a capture.
 */
import { Effect, Schema } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { Site } from "../../protocols/domain/site.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { PersonTruth } from "../simulation/simulation.ts"

/** First line of a recording. */
export const recordingMagic = "wavepose-recording 1\n"

/** Largest size of the first two lines, bytes: format detection reads at least this much of a file. */
export const headerBytesMax = 60_000

/** What was in the room during a part of a live recording, in the words of its maker; seconds since its beginning. */
const RecordingLabel = Schema.Struct({
  label: Schema.String,
  fromS: Schema.Finite,
  /** Null while it is the last one: up to the end of the file. */
  untilS: Schema.NullOr(Schema.Finite),
})
export type RecordingLabel = typeof RecordingLabel.Type

/** When and why live nodes were recorded. */
const CaptureNotes = Schema.Struct({
  recordedAt: Schema.String,
  note: Schema.NullOr(Schema.String),
  labels: Schema.Array(RecordingLabel),
})

/** Origin of a recording. */
export const RecordingHeader = Schema.Struct({
  /** Null for a live recording. */
  scenarioId: Schema.NullOr(Schema.String),
  seed: Schema.NullOr(Schema.Int),
  /** How long the rooms are known to be empty at the beginning. */
  emptySeconds: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The environments as their operator describes them, with their routers. */
  sites: Schema.Array(Site).check(Schema.isMinLength(1)),
  capture: Schema.optionalKey(CaptureNotes),
})
export type RecordingHeader = typeof RecordingHeader.Type

/** The sites of a scenario do not fit into the header of a recording. */
export class RecordingTooWide extends Schema.TaggedError<RecordingTooWide>()("RecordingTooWide", {
  message: Schema.String,
}) {}

/** The first two lines, filled with blanks up to `lengthBytes`. */
export const encodeRecordingHeader = (
  header: RecordingHeader,
  lengthBytes = 0,
): Effect.Effect<Uint8Array, RecordingTooWide> => {
  const text = new TextEncoder().encode(`${recordingMagic}${JSON.stringify(header)}`)
  const bytesMax = lengthBytes === 0 ? headerBytesMax : lengthBytes
  const bytes = new Uint8Array(Math.max(text.length + 1, lengthBytes)).fill(0x20)
  bytes.set(text)
  bytes[bytes.length - 1] = 0x0a
  return bytes.length <= bytesMax ? Effect.succeed(bytes) : Effect.fail(
    new RecordingTooWide({
      message:
        `The header needs ${bytes.length} bytes; that of a recording has at most ${bytesMax}: record fewer rooms or labels.`,
    }),
  )
}

/** A batch in the format of the file. */
export const encodeRecordedBatch = (batch: CsiBatch): Uint8Array => {
  const message = encodeCsiBatch(batch)
  const length: Array<number> = []
  for (let rest = message.byteLength;; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest)
      break
    }
    length.push((rest & 0x7f) | 0x80)
  }
  const bytes = new Uint8Array(length.length + message.byteLength)
  bytes.set(length)
  bytes.set(message, length.length)
  return bytes
}

/** The file with the truth of a recording. */
export const truthFileOf = (file: string): string => `${file}.truth.jsonl`

/** The line of a hop: its end, and every person of the scenario. */
export const truthLine = (endUs: number, persons: ReadonlyArray<PersonTruth>): string =>
  `${JSON.stringify({ endUs, persons })}\n`
