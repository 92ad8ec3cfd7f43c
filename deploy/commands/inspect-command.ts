/**
 * `wavepose inspect`: describes a capture and what it can support, as text, as JSON and as a picture.
 *
 * Boundary: `core/inspection` analyses the bytes. This file reads the capture, a second time for the picture, and writes the results.
 */
import { Console, Effect } from "effect"
import { encode } from "fast-png"
import { writeFile } from "node:fs/promises"
import { basename } from "node:path"
import { firstFaultText } from "../../core/formats/decoder.ts"
import { type Inspection, Inspector } from "../../core/inspection/inspector.ts"
import { createPicture } from "../../core/inspection/picture/picture.ts"
import { PictureMaps } from "../../core/inspection/picture-maps.ts"
import { type InspectedCapture, inspectionJson } from "../inspect/report-json.ts"
import { inspectionText } from "../inspect/report-text.ts"
import { progressBar } from "./progress-bar.ts"
import { InvalidArguments, InvalidCommand } from "../settings/invalid-command.ts"
import { stdinName } from "../source/byte-stream.ts"
import { type Capture, openCapture } from "../source/capture.ts"
import { UnreadableRecording } from "../source/unreadable-recording.ts"

export interface InspectOptions {
  /** A file, or `-` for stdin. */
  readonly file: string
  readonly json: boolean
  /** File of the picture; null: no picture. */
  readonly png: string | null
  /** Packets in a second of a capture without times; null if unknown. */
  readonly rateHz: number | null
}

const identity = { routerId: "capture", source: "replay" } as const

/** Reads a capture to its end. */
const readThrough = Effect.fnUntraced(function* (
  capture: Capture,
  label: string,
  take: (result: Parameters<Inspector["add"]>[0]) => void,
): Effect.fn.Return<void, UnreadableRecording> {
  const bar = progressBar(label)
  for (let result = yield* capture.next; result !== null; result = yield* capture.next) {
    take(result)
    bar.show(capture.share())
  }
  bar.clear()
})

const inspectCapture = Effect.fnUntraced(function* (file: string, rateHz: number | null) {
  const capture = yield* openCapture(file, identity, { rateHz })
  const inspector = new Inspector(identity.routerId)
  yield* readThrough(capture, "inspecting", (result) => inspector.add(result))
  const inspection = inspector.finish()
  if (inspection.frames === 0) {
    const message = `"${file}" contains no record with CSI.${firstFaultText(inspection.faults[0])}`
    return yield* new UnreadableRecording({ file, message })
  }
  const about: InspectedCapture = { file, format: capture.format, hardware: capture.hardware() }
  return { about, inspection }
}, Effect.scoped)

/** Reads the capture again, for the picture of its busiest link. */
const draw = Effect.fnUntraced(function* (about: InspectedCapture, inspection: Inspection, rateHz: number | null) {
  const capture = yield* openCapture(about.file, identity, { rateHz })
  const maps = new PictureMaps(inspection)
  yield* readThrough(capture, "drawing", ({ batches }) => batches.forEach((batch) => maps.add(batch)))
  const { height, pixels, width } = createPicture(`${basename(about.file)} (${about.format})`, maps.finish())
  return encode({ width, height, data: pixels, channels: 3, depth: 8 })
}, Effect.scoped)

/** Prints the description of a capture. */
export const inspect = Effect.fnUntraced(function* ({ file, json, png, rateHz }: InspectOptions) {
  if (png !== null && file === stdinName) {
    return yield* new InvalidArguments({ message: "--png reads the capture twice, so it needs a file and not stdin." })
  }
  const { about, inspection } = yield* inspectCapture(file, rateHz)
  if (png !== null) {
    const picture = yield* draw(about, inspection, rateHz)
    yield* Effect.tryPromise({
      try: () => writeFile(png, picture),
      catch: (error) =>
        new InvalidCommand({
          message: `The file of --png cannot be written: ${error instanceof Error ? error.message : error}`,
        }),
    })
  }
  yield* Console.log(json ? JSON.stringify(inspectionJson(about, inspection)) : inspectionText(about, inspection))
})
