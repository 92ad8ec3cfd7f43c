/**
 * The captures of a folder: every file below it that has a label and can be decoded, in the order of their paths.
 *
 * Boundary: formats of devices are decoded by `core/formats`; two public sets have layouts of their own (`geotec.ts`,
 * `breathsense.ts`); a live recording of the service (`live-recordings.ts`) has its labels in its header. A file without a
 * label, or of an unknown format, is named and not judged.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { breathSenseBatch, breathSenseStatusFile, readBreathSense } from "./breathsense.ts"
import { geotecEndings, geotecRateHz, readGeotec } from "./geotec.ts"
import { readLiveRecording } from "./live-recordings.ts"
import type { LabelOf, LabelSpan, RecordingLabel } from "./labels.ts"

export interface Capture {
  /** Path below the folder. */
  readonly name: string
  readonly label: RecordingLabel
  readonly batches: ReadonlyArray<CsiBatch>
}

/** The files of a folder that are not judged, or only in part. */
export interface ReadFiles {
  /** Files that are not judged: without a label, and with one but unreadable. */
  readonly unlabelled: ReadonlyArray<string>
  readonly unreadable: ReadonlyArray<string>
  /** Files with parts that cannot be read: each fault is a record, or bytes between records. */
  readonly faulty: ReadonlyArray<{ readonly name: string; readonly packets: number; readonly faults: number }>
}

interface Captures extends ReadFiles {
  readonly captures: ReadonlyArray<Capture>
}

const filesMax = 10_000

/** Spans of equal states, from one state per packet. */
const spansOf = (labels: ReadonlyArray<string>, rateHz: number): ReadonlyArray<LabelSpan> => {
  const spans: Array<LabelSpan> = []
  for (let first = 0, end = 1; end <= labels.length; end++) {
    if (labels[end] === labels[first]) continue
    const state = labels[first] === "SEATED" ? "still" : "moving"
    spans.push({ fromS: first / rateHz, untilS: end / rateHz, state, breathingPerMinute: null })
    first = end
  }
  return spans
}

const readGeotecCapture = (path: string): Omit<Capture, "name"> => {
  const { batch, labels } = readGeotec(path.slice(0, -geotecEndings.packets.length))
  const spans = spansOf(labels, geotecRateHz)
  return { label: { room: "geotec", link: "geotec", spans }, batches: [batch] }
}

interface Decoded {
  readonly batches: ReadonlyArray<CsiBatch>
  readonly faults: number
}

const decode = (path: string): Decoded => {
  const bytes = new Uint8Array(readFileSync(path))
  const format = detectFormat(bytes)
  if (format === null) return { batches: [], faults: 0 }
  const decoder = createCaptureDecoder(format, { routerId: "capture", source: "replay" })
  const parts = [decoder.push(bytes), decoder.end()]
  return {
    batches: parts.flatMap(({ batches }) => batches),
    faults: parts.reduce((sum, { faults, faultsOmitted }) => sum + faults.length + faultsOmitted, 0),
  }
}

/** Reads all captures below a folder. */
export const readCaptures = (folder: string, labelOf: LabelOf): Captures => {
  const captures: Array<Capture> = []
  const unlabelled: Array<string> = []
  const unreadable: Array<string> = []
  const faulty: Array<Captures["faulty"][number]> = []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort().slice(0, filesMax)) {
    const name = relative(folder, path)
    if (/geotec.*-x\.npy$/.test(name)) {
      captures.push({ name, ...readGeotecCapture(path) })
      continue
    }
    const label = labelOf(name)
    const recorded = readLiveRecording(path, label)
    if (recorded !== null) {
      captures.push(...recorded.map(({ routerId, ...one }) => ({ name: `${name}#${routerId}`, ...one })))
      if (recorded.length === 0) unlabelled.push(name)
      continue
    }
    if (label === null) {
      unlabelled.push(name)
      continue
    }
    const { batches, faults } = name.endsWith(breathSenseStatusFile)
      ? { batches: [breathSenseBatch(readBreathSense(dirname(path)))], faults: 0 }
      : decode(path)
    if (batches.length === 0) {
      unreadable.push(name)
      continue
    }
    captures.push({ name, label, batches })
    if (faults > 0) faulty.push({ name, faults, packets: batches.reduce((sum, { frameCount }) => sum + frameCount, 0) })
  }
  return { captures, unlabelled, unreadable, faulty }
}
