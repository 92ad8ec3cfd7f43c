/**
 * `wavepose recording convert`: the CSI of one link of a recording as NumPy arrays, as `inspect` and `replay` read them.
 *
 * The file is read twice: first to find the busiest link, then for its frames. A link is a router and one of its transmitters; only frames
 * of its most frequent layout are written. Memory holds the written frames, at most `valuesMax` numbers.
 */
import { Effect } from "effect"
import { zipSync } from "fflate"
import { writeFile } from "node:fs/promises"
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import { valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { type Fault, firstFaultText } from "../../core/formats/decoder.ts"
import { npyFile, textData } from "../export/numpy-columns.ts"
import { InvalidArguments, InvalidCommand } from "../settings/invalid-command.ts"
import { openCapture, readRecordedHeader } from "../source/capture.ts"
import { UnwritableFile } from "../source/unwritable-file.ts"
import { printResult } from "./output.ts"
import { progressBar } from "./progress-bar.ts"

export interface ConvertOptions {
  readonly file: string
  readonly output: string
  /** Null: the busiest link of all. */
  readonly routerId: string | null
  /** Packets in a second of a recording without times; null if unknown. */
  readonly rateHz: number | null
  readonly json: boolean
}

/** The same limit as that of a file that is read. */
const valuesMax = 2 ** 25

/** The link and the layout of each frame as one text. */
const keyOf = ({ layout, routerId }: CsiBatch, transmitterId: string): string =>
  JSON.stringify([
    routerId,
    transmitterId,
    layout.format,
    layout.receiveAntennas,
    layout.transmitAntennas,
    layout.centerFrequencyHz,
    layout.bandwidthHz,
    layout.subcarrierIndices.length,
  ])

/** Calls `take` with each frame of a capture: its batch, its place in it, and its key. Returns the first fault of a capture without frames. */
const eachFrame = Effect.fnUntraced(function* (
  { file, rateHz }: Pick<ConvertOptions, "file" | "rateHz">,
  label: string,
  take: (batch: CsiBatch, frame: number, key: string) => void,
) {
  const capture = yield* openCapture(file, { routerId: "capture", source: "replay" }, { view: "every-router", rateHz })
  const bar = progressBar(label)
  let isEmpty = true
  let first: Fault | undefined
  for (let result = yield* capture.next; result !== null; result = yield* capture.next) {
    isEmpty &&= result.batches.length === 0
    first ??= result.faults[0]
    for (const batch of result.batches) {
      const keys = batch.transmitterIds.map((id) => keyOf(batch, id))
      for (let i = 0; i < batch.frameCount; i++) take(batch, i, keys[batch.transmitterIndex[i]!]!)
    }
    bar.show(capture.share())
  }
  bar.clear()
  return isEmpty ? first : undefined
}, Effect.scoped)

/** The frames of a link. */
class LinkFrames {
  readonly key: string
  layout: RadioLayout | null = null
  readonly #times: Array<number> = []
  readonly #parts: Array<Float32Array> = []

  constructor(key: string) {
    this.key = key
  }

  add({ csi, layout, timestampsUs }: CsiBatch, frame: number): void {
    const numbers = 2 * valuesPerFrame(layout)
    this.layout ??= layout
    this.#times.push(timestampsUs[frame]! / 1e6)
    this.#parts.push(Float32Array.from(csi.subarray(frame * numbers, (frame + 1) * numbers)))
  }

  /** The arrays by name. `labelAt` returns what was in the room at a time in seconds; null where that is not known. */
  arrays(labelAt: ((atS: number) => string | null) | null): Record<string, Uint8Array> {
    const layout = this.layout!
    const frames = this.#times.length
    const numbers = 2 * valuesPerFrame(layout)
    const csi = new Float32Array(frames * numbers)
    this.#parts.forEach((part, i) => csi.set(part, i * numbers))
    const { bandwidthHz, centerFrequencyHz, receiveAntennas, subcarrierIndices, transmitAntennas } = layout
    const doubles = (values: ReadonlyArray<number>) => new Uint8Array(Float64Array.from(values).buffer)
    const labels = labelAt === null ? null : textData(this.#times.map(labelAt))
    const shape = [frames, receiveAntennas, transmitAntennas, subcarrierIndices.length]
    return {
      "csi.npy": npyFile("<c8", shape, new Uint8Array(csi.buffer)),
      "timestamp_s.npy": npyFile("<f8", [frames], doubles(this.#times)),
      "subcarrier_index.npy": npyFile(
        "<i4",
        [subcarrierIndices.length],
        new Uint8Array(Int32Array.from(subcarrierIndices).buffer),
      ),
      "center_frequency_hz.npy": npyFile("<f8", [], doubles([centerFrequencyHz])),
      "bandwidth_hz.npy": npyFile("<f8", [], doubles([bandwidthHz])),
      ...(labels === null ? {} : { "label.npy": npyFile(labels.type, [frames], labels.bytes) }),
    }
  }
}

/** The label of a recording at a time; null for a capture without labels. */
const labelsOf = Effect.fnUntraced(function* (file: string) {
  const labels = (yield* readRecordedHeader(file))?.capture?.labels ?? []
  if (labels.length === 0) return null
  return (atS: number): string | null =>
    labels.find(({ fromS, untilS }) => atS >= fromS && atS < (untilS ?? Infinity))?.label ?? null
})

/** Converts a recording and prints what was written. */
export const convert = Effect.fnUntraced(function* (options: ConvertOptions) {
  const { file, json, output, routerId } = options
  if (!output.endsWith(".npz")) return yield* new InvalidArguments({ message: `"${output}" must end with .npz.` })
  const counts = new Map<string, { frames: number; values: number }>()
  const fault = yield* eachFrame(options, "counting", (batch, _, key) => {
    if (routerId !== null && batch.routerId !== routerId) return
    const count = counts.get(key) ?? { frames: 0, values: 2 * valuesPerFrame(batch.layout) }
    count.frames++
    counts.set(key, count)
  })
  const busiest = [...counts].sort(([, a], [, b]) => b.frames - a.frames)[0]
  if (busiest === undefined) {
    const whose = routerId === null ? "" : ` of router ${routerId}`
    return yield* new InvalidCommand({ message: `"${file}" has no CSI frames${whose}.${firstFaultText(fault)}` })
  }
  const [key, { frames, values }] = busiest
  if (frames * values > valuesMax) {
    return yield* new InvalidCommand({
      message: `The link has ${frames} frames of ${values} numbers; an .npz holds at most ${valuesMax} numbers. ` +
        "Record a shorter time.",
    })
  }
  const link = new LinkFrames(key)
  yield* eachFrame(options, "converting", (batch, frame, itsKey) => itsKey === key ? link.add(batch, frame) : undefined)
  const archive = zipSync(link.arrays(yield* labelsOf(file)))
  yield* Effect.tryPromise({
    try: () => writeFile(output, archive),
    catch: (cause) => UnwritableFile.of(output, cause),
  })
  const [router, transmitter] = JSON.parse(key) as [string, string]
  yield* printResult(
    json,
    { file: output, router_id: router, transmitter_id: transmitter, frames, bytes: archive.length },
    `${frames} CSI frames of ${router} from ${transmitter} are in ${output}.`,
  )
})
