/**
 * One recording as a feed of CSI batches, each within one hop, rebased onto a start time.
 *
 * Owns the log of its faults. Boundary: the file and its decoder are in `capture.ts`; `replay.ts` merges several recordings.
 * Invariant: memory holds at most the decoded frames of one chunk of the file.
 */
import { Effect, type Scope } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { type DecodeResult, faultText, isWarning } from "../../core/formats/decoder.ts"
import { hopOf } from "../../core/observation/observation.ts"
import { openCapture, recordingFormat } from "./capture.ts"
import { splitByHop } from "./play.ts"
import type { UnreadableRecording } from "./unreadable-recording.ts"

/** The batches of one recording, in the order of time. */
export interface Recording {
  /** The hop of the next batch; null at the end. */
  readonly nextHop: Effect.Effect<number | null, UnreadableRecording>
  /** Removes and returns every batch up to and including this hop. */
  readonly take: (hop: number) => Effect.Effect<ReadonlyArray<CsiBatch>, UnreadableRecording>
  /** Faults of the capture so far. */
  readonly faults: () => number
}

interface RecordingOptions {
  readonly file: string
  /** Router id of a capture. */
  readonly routerId: string
  /** Router ids of the nodes of a recorded simulation. */
  readonly rename: (nodeId: string) => string
  /** New time of the first packet, microseconds since the Unix epoch. */
  readonly startUs: number
  /** Sequence of the first batch. */
  readonly batchSequence: number
  /** Packets in a second of a capture without times; null if unknown. */
  readonly rateHz?: number | null
}

/** Faults of one recording that are logged; the others are only counted. */
const loggedMax = 10

/** A recorded batch under other names. A simulated batch stays simulated; a live one becomes a replay. */
const renamed = (batch: CsiBatch, rename: (nodeId: string) => string): CsiBatch => ({
  ...batch,
  routerId: rename(batch.routerId),
  source: batch.source === "live" ? "replay" : batch.source,
  transmitterIds: batch.transmitterIds.map(rename),
})

/** Opens a recording. Its file closes with the scope. */
export const openRecording = Effect.fnUntraced(function* (
  { batchSequence, file, rateHz = null, rename, routerId, startUs }: RecordingOptions,
): Effect.fn.Return<Recording, UnreadableRecording, Scope.Scope> {
  const capture = yield* openCapture(file, { routerId, source: "replay" }, { view: "every-router", rateHz })
  const named = (batch: CsiBatch): CsiBatch => capture.format === recordingFormat ? renamed(batch, rename) : batch
  const ready: Array<CsiBatch> = []
  let sequence = batchSequence
  let faults = 0
  let ended = false

  const accept = (result: DecodeResult): Effect.Effect<void> => {
    for (const batch of result.batches) {
      const rebased = { ...named(batch), timestampsUs: batch.timestampsUs.map((us) => us + startUs) }
      for (const part of splitByHop(rebased)) ready.push({ ...part, batchSequence: sequence++ })
    }
    const shown = result.faults.slice(0, Math.max(0, loggedMax - faults))
    faults += result.faults.filter((fault) => !isWarning(fault)).length + result.faultsOmitted
    return Effect.forEach(
      shown,
      (fault) =>
        Effect.logWarning(faultText(fault, "recording"), {
          file,
          offset_bytes: fault.offset,
          reason: fault.reason,
        }),
      { discard: true },
    )
  }

  /** Reads until there is a batch or the file ends. */
  const fill = Effect.gen(function* () {
    while (ready.length === 0 && !ended) {
      const result = yield* capture.next
      ended = result === null
      if (result !== null) yield* accept(result)
    }
  })

  const nextHop = Effect.map(fill, () => ready.length === 0 ? null : hopOf(ready[0]!.timestampsUs[0]!))

  const take = Effect.fnUntraced(function* (hop: number) {
    const taken: Array<CsiBatch> = []
    for (let next = yield* nextHop; next !== null && next <= hop; next = yield* nextHop) taken.push(ready.shift()!)
    return taken
  })

  return { nextHop, take, faults: () => faults }
})
