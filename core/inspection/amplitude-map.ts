/**
 * The amplitude map of one link: the mean amplitude of every antenna and subcarrier, by time.
 *
 * A column in which no packet came has no value.
 */
import { type CsiBatch, sameLayout, valuesPerFrame } from "../formats/csi-batch.ts"
import { type ChosenLink, columnOf, type TimeColumns } from "./time-columns.ts"

/** Gathers the map of one link. */
export class AmplitudeMap {
  readonly link: ChosenLink
  readonly columns: TimeColumns
  readonly #values: number
  /** Sum of amplitudes [column][antennas and subcarrier]. */
  readonly #sums: Float32Array
  readonly #frames: Uint32Array

  constructor(link: ChosenLink, columns: TimeColumns) {
    this.link = link
    this.columns = columns
    this.#values = valuesPerFrame(link.layout)
    this.#sums = new Float32Array(columns.count * this.#values)
    this.#frames = new Uint32Array(columns.count)
  }

  add(batch: CsiBatch): void {
    if (!sameLayout(batch.layout, this.link.layout)) return
    const values = this.#values
    for (let frame = 0; frame < batch.frameCount; frame++) {
      if (batch.transmitterIds[batch.transmitterIndex[frame]!] !== this.link.transmitterId) continue
      const column = columnOf(this.columns, batch.timestampsUs[frame]!)
      this.#frames[column]!++
      for (let value = 0, v = 2 * frame * values; value < values; value++, v += 2) {
        this.#sums[column * values + value]! += Math.hypot(batch.csi[v]!, batch.csi[v + 1]!)
      }
    }
  }

  /** Mean amplitude in dB of a value (antennas and subcarrier) in a column; NaN where there is none, or no amplitude. */
  decibelsAt(column: number, value: number): number {
    const mean = this.#sums[column * this.#values + value]! / this.#frames[column]!
    return mean > 0 ? 20 * Math.log10(mean) : NaN
  }
}
