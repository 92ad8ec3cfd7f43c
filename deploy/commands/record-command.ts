/**
 * `wavepose record`: records sensing nodes to a file, with labels that the user switches while it runs.
 *
 * Owns the pace of the writes. Boundary: `source/live-recording.ts` owns the file, `recording-source.ts` the source. Every line of stdin
 * is the label of what is in the room from then on.
 */
import { Clock, Effect, Queue } from "effect"
import { createInterface } from "node:readline"
import { hopUs } from "../../core/observation/observation.ts"
import type { LiveBatches } from "../source/live-batches.ts"
import { openLiveRecording } from "../source/live-recording.ts"
import { openRecordingSource, type RecordedFrom } from "./recording-source.ts"
import { printResult } from "./output.ts"

export interface RecordOptions {
  readonly file: string
  readonly from: RecordedFrom
  readonly label: string | null
  readonly note: string | null
  /** Null: until Ctrl-C. */
  readonly seconds: number | null
  readonly json: boolean
}

/** Interval of the writes: a process that is killed loses at most this much. */
const writeMs = 100
/** Interval of the progress. */
const reportMs = 1000
const labelsWaitingMax = 16
const labelCharactersMax = 100

const nowUs = Effect.map(Clock.Clock, (clock) => Number(clock.currentTimeNanosUnsafe() / 1000n))

/** The lines of stdin, at most `labelsWaitingMax` unread. The end of stdin ends nothing. */
const typedLabels = Effect.gen(function* () {
  const labels = yield* Queue.dropping<string>(labelsWaitingMax)
  const lines = createInterface({ input: process.stdin })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      lines.close()
      process.stdin.unref?.()
    })
  )
  lines.on("line", (line) => {
    const label = line.trim().slice(0, labelCharactersMax)
    if (label !== "") Queue.offerUnsafe(labels, label)
  })
  return labels
})

const secondsText = (us: number): string => `${Math.round(us / 1e6)} s`

/** Shows the rates of the last second on a terminal. */
const makeProgress = (batches: LiveBatches) => {
  let before = new Map<string, number>()
  return (elapsedUs: number, label: string | null): void => {
    if (process.stderr.isTTY !== true) return
    const rates = [...batches.frames].map(([id, frames]) => `${id} ${frames - (before.get(id) ?? 0)}/s`)
    before = new Map(batches.frames)
    const heard = rates.length === 0 ? "no node is heard yet" : rates.join(", ")
    process.stderr.write(`\r\x1b[K${secondsText(elapsedUs)}  ${heard}  label: ${label ?? "none"}`)
  }
}

/** Records until `seconds` have passed, Ctrl-C, or the end of the source. */
export const record = Effect.fnUntraced(function* (options: RecordOptions) {
  // The beginning of a hop, so that a replay cuts the packets into the same hops.
  const startUs = Math.floor((yield* nowUs) / hopUs) * hopUs
  const { batches, description, ended: sourceEnded, environment, stop } = yield* openRecordingSource(
    options.from,
    startUs,
  )
  const recording = yield* openLiveRecording({ ...options, environment, startUs })
  const labels = yield* typedLabels
  yield* Effect.logInfo("recording", { file: options.file, ...description, label: options.label })
  if (process.stderr.isTTY === true) {
    process.stderr.write("Type what is in the room and Enter (empty, walking, still ...); Ctrl-C ends the recording.\n")
  }
  const show = makeProgress(batches)
  const writing = Effect.gen(function* () {
    for (let ms = 0;; ms += writeMs) {
      yield* Effect.sleep(writeMs)
      const atUs = yield* nowUs
      for (const label of yield* Queue.clear(labels)) yield* recording.label(label, atUs)
      yield* recording.write(batches.take())
      if (ms % reportMs === 0) show(atUs - startUs, recording.labels().at(-1)?.label ?? null)
    }
  })
  const ended = options.seconds === null ? Effect.never : Effect.sleep(options.seconds * 1000)
  const finish = Effect.gen(function* () {
    // What arrives from now on would be counted and not written.
    stop()
    yield* recording.write(batches.take())
    yield* summarise(options, batches, recording, (yield* nowUs) - startUs)
  })
  // Ctrl-C interrupts, and a source can fail; the recording is then completed and described.
  yield* Effect.onError(Effect.raceAllFirst([writing, ended, sourceEnded]), () => Effect.ignore(finish))
  yield* finish
}, Effect.scoped)

const summarise = (
  { file, from, json }: RecordOptions,
  batches: LiveBatches,
  { bytes, labels }: { readonly bytes: () => number; readonly labels: () => ReadonlyArray<object> },
  elapsedUs: number,
) => {
  const { dropped, frames } = batches
  const total = [...frames.values()].reduce((sum, one) => sum + one, 0)
  const nodes = [...frames.keys()].join(", ") || "no node"
  const advice = from.kind === "datagrams"
    ? "Check the target address and port of the nodes."
    : "`wavepose doctor` says which nodes the service hears."
  const sentences = [
    `${total} CSI frames of ${nodes} in ${secondsText(elapsedUs)} are in ${file}`,
    ...batches.lossText(),
  ]
  return printResult(
    json,
    {
      file,
      seconds: elapsedUs / 1e6,
      frames: Object.fromEntries(frames),
      labels: labels(),
      dropped: Object.fromEntries(dropped),
      bytes: bytes(),
    },
    `\n${sentences.map((sentence) => `${sentence}.`).join(" ")}${total === 0 ? ` ${advice}` : ""}`,
  )
}
