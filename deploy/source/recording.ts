/**
 * One recording as a feed of CSI batches, each within one hop, rebased onto a start time.
 *
 * Owns the log of its faults. Boundary: the file and its decoder are in `capture.ts`; several recordings are merged in
 * `replay.ts`. Invariant: at most what one chunk of the file decodes to is held.
 */
import { Effect, type Scope } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { DecodeResult } from "../../core/formats/decoder.ts"
import { hopOf } from "../../core/observation/observation.ts"
import { openCapture, recordingFormat } from "./capture.ts"
import { splitByHop } from "./play.ts"
import type { UnreadableRecording } from "./unreadable-recording.ts"

/** The batches of one recording, in the order of time. */
export interface Recording {
  /** The hop of the batch that comes next; null when there is none. */
  readonly nextHop: Effect.Effect<number | null, UnreadableRecording>
  /** Takes every batch up to and with this hop. */
  readonly take: (hop: number) => Effect.Effect<ReadonlyArray<CsiBatch>, UnreadableRecording>
  /** Faults of the capture so far. */
  readonly faults: () => number
}

interface RecordingOptions {
  readonly file: string
  /** The router that a capture is. */
  readonly routerId: string
  /** What each node of a recorded simulation is called here. */
  readonly rename: (nodeId: string) => string
  /** What the first packet's time becomes, microseconds since the Unix epoch. */
  readonly startUs: number
  /** Sequence of the first batch. */
  readonly batchSequence: number
}

/** Faults of one recording that are written to the log; the others are counted. */
const loggedMax = 10

/** A recorded batch under other names. What was simulated stays so; what was live is live no more. */
const renamed = (batch: CsiBatch, rename: (nodeId: string) => string): CsiBatch => ({
  ...batch,
  routerId: rename(batch.routerId),
  source: batch.source === "live" ? "replay" : batch.source,
  transmitterIds: batch.transmitterIds.map(rename),
})

/** Opens a recording; its file is closed with the scope. */
export const openRecording = Effect.fnUntraced(function* (
  { batchSequence, file, rename, routerId, startUs }: RecordingOptions,
): Effect.fn.Return<Recording, UnreadableRecording, Scope.Scope> {
  const capture = yield* openCapture(file, { routerId, source: "replay" }, "every-router")
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
    faults += result.faults.length + result.faultsOmitted
    return Effect.forEach(
      shown,
      ({ message, offset, reason }) => Effect.logWarning(`${file}: left out at byte ${offset} (${reason}): ${message}`),
      { discard: true },
    )
  }

  /** Reads on until there is a batch or the file has ended. */
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
