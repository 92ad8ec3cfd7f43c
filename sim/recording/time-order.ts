/**
 * Frames of several routers in the order of their times.
 *
 * A recording has a piece of one router after that of another, each of about 100 ms. Frames are held for `heldUs` of the recording's
 * time, or until `heldMax` wait. One that is later still comes out of order.
 */
import { BatchBuilder, type CsiFrame, type StreamIdentity } from "../../core/formats/batch-builder.ts"
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"

const heldUs = 500_000
const heldMax = 20_000

/** Merges batches. All have the source of the first one. */
export class TimeOrder {
  readonly #routerId: string
  #builder: BatchBuilder | null = null
  #held: Array<CsiFrame> = []
  #newestUs = -Infinity
  #oldestUs = Infinity

  constructor({ routerId }: StreamIdentity) {
    this.#routerId = routerId
  }

  /** @param transmitterIds names of the transmitters of the batch in the merged stream */
  add(batch: CsiBatch, transmitterIds: ReadonlyArray<string>): void {
    this.#builder ??= new BatchBuilder({ routerId: this.#routerId, source: batch.source })
    const { csi, layout } = batch
    const numbers = 2 * valuesPerFrame(layout)
    for (let i = 0; i < batch.frameCount; i++) {
      const timestampUs = batch.timestampsUs[i]!
      this.#held.push({
        layout,
        timestampUs,
        // Each router counts its own packets.
        sequence: 0,
        rssiDbm: batch.rssiDbm[i]!,
        noiseFloorDbm: batch.noiseFloorDbm[i]!,
        transmitterId: transmitterIds[batch.transmitterIndex[i]!]!,
        csi: csi.subarray(i * numbers, (i + 1) * numbers),
      })
      this.#newestUs = Math.max(this.#newestUs, timestampUs)
      this.#oldestUs = Math.min(this.#oldestUs, timestampUs)
    }
  }

  /** The frames that have been held long enough. */
  take(): ReadonlyArray<CsiBatch> {
    const isDue = this.#newestUs - this.#oldestUs >= 2 * heldUs || this.#held.length >= heldMax
    return isDue ? this.#until(this.#held.length >= heldMax ? Infinity : this.#newestUs - heldUs) : []
  }

  /** All other frames. */
  end(): ReadonlyArray<CsiBatch> {
    return this.#until(Infinity)
  }

  #until(untilUs: number): ReadonlyArray<CsiBatch> {
    const builder = this.#builder
    if (builder === null) return []
    const ordered = this.#held.sort((a, b) => a.timestampUs - b.timestampUs)
    const later = ordered.findIndex(({ timestampUs }) => timestampUs > untilUs)
    const due = later < 0 ? ordered : ordered.slice(0, later)
    this.#held = later < 0 ? [] : ordered.slice(later)
    this.#oldestUs = this.#held[0]?.timestampUs ?? Infinity
    for (const frame of due) builder.add(frame)
    return builder.take()
  }
}
