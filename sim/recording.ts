/**
 * The recording of a simulation: a file that replays like a capture, with the sites that it was made in.
 *
 * Owns the format and the writing of it; `recording-decoder.ts` reads it.
 *
 *     wavepose-recording 1\n
 *     {"scenarioId": ..., "seed": ..., "emptySeconds": ..., "sites": [...]}\n
 *     (length as a varint, message wavepose.v1.CsiBatch) ...
 *
 * The first two lines are text; what follows is protobuf's delimited stream, in the order of time. Beside the file lies
 * `FILE.truth.jsonl`: one line of JSON a hop, what was true at its end.
 *
 * Invariants:
 * 1. Times are microseconds since the recording began, common to all routers: the same scenario and seed give the same bytes on any
 *    day. A router whose clock is behind shows 0 until it is past that.
 * 2. Every batch keeps its source, so that what was simulated never comes back as a capture.
 */
import { Effect, Schema } from "effect"
import type { CsiBatch } from "../core/formats/csi-batch.ts"
import { Site } from "../protocols/domain/site.ts"
import { encodeCsiBatch } from "../protocols/grpc/csi-batch.ts"
import type { PersonTruth } from "./simulation.ts"

/** First line of a recording. */
export const recordingMagic = "wavepose-recording 1\n"

/** Bytes of the second line, at most: within what is read of a file to tell its format. */
export const headerBytesMax = 60_000

/** Where a recording comes from. */
export const RecordingHeader = Schema.Struct({
  scenarioId: Schema.String,
  seed: Schema.Int,
  /** How long the rooms are known to be empty at first. */
  emptySeconds: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The environments as their operator knows them, with their routers. */
  sites: Schema.Array(Site).check(Schema.isMinLength(1)),
})
export type RecordingHeader = typeof RecordingHeader.Type

/** A scenario with more nodes than a recording's header has room for. */
export class RecordingTooWide extends Schema.TaggedError<RecordingTooWide>()("RecordingTooWide", {
  message: Schema.String,
}) {}

/** The first two lines. */
export const encodeRecordingHeader = (header: RecordingHeader): Effect.Effect<Uint8Array, RecordingTooWide> => {
  const text = `${JSON.stringify(header)}\n`
  const bytes = new TextEncoder().encode(recordingMagic + text)
  return bytes.length <= headerBytesMax ? Effect.succeed(bytes) : Effect.fail(
    new RecordingTooWide({
      message:
        `The sites take ${bytes.length} bytes, a recording's header at most ${headerBytesMax}: record fewer rooms.`,
    }),
  )
}

/** A batch as it stands in the file. */
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

/** Where the truth of a recording lies. */
export const truthFileOf = (file: string): string => `${file}.truth.jsonl`

/** The line of a hop: its end, and every person of the scenario. */
export const truthLine = (endUs: number, persons: ReadonlyArray<PersonTruth>): string =>
  `${JSON.stringify({ endUs, persons })}\n`
