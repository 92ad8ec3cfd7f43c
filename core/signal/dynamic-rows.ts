/**
 * The dynamic rows of one link and hop: the responses of its packets in the form of an observation, each with its time.
 *
 * Owns the buffer of a hop, and the averaging of a hop with more packets than an observation holds: neighbouring rows
 * and their times are averaged. Boundary: `alignment.ts` aligns a response before it is added here.
 */
import type { LayoutPlan } from "./layout-plan.ts"
import { decimateRow } from "./decimation.ts"

/** Maximum number of rows in an observation. */
const rowsMax = 64
/** Initial capacity in rows: that of a link with 160 packets/s. */
const rowsExpected = 16

/** The part of a link's observation that this file fills; see `core/observation/observation.ts`. */
interface DynamicResponse {
  readonly dynamic: Float32Array
  readonly dynamicTimesS: Float32Array
}

export const noDynamic: DynamicResponse = { dynamic: new Float32Array(0), dynamicTimesS: new Float32Array(0) }

export class DynamicRows {
  readonly #plan: LayoutPlan
  /** Numbers of a row: complex [rx][tone]. */
  readonly #numbers: number
  #rows: Float32Array
  readonly #packetsMax: number
  readonly #timesS: Float32Array
  #count = 0

  /** @param packetsMax packets of a hop */
  constructor(plan: LayoutPlan, packetsMax: number) {
    this.#plan = plan
    this.#packetsMax = packetsMax
    this.#numbers = 2 * plan.layout.receiveAntennas * plan.decimation.tonesHz.length
    this.#rows = new Float32Array(Math.min(rowsExpected, packetsMax) * this.#numbers)
    this.#timesS = new Float32Array(packetsMax)
  }

  get count(): number {
    return this.#count
  }

  /**
   * Adds a packet's response, of every antenna to the first transmit stream, decimated. At most `packetsMax` until
   * `clear`.
   */
  add(response: Float32Array, timeS: number): void {
    const { decimation, layout, alignment } = this.#plan
    const to = this.#count * this.#numbers
    if (to + this.#numbers > this.#rows.length) {
      const grown = new Float32Array(Math.min(2 * this.#rows.length, this.#packetsMax * this.#numbers))
      grown.set(this.#rows)
      this.#rows = grown
    }
    const antennaNumbers = 2 * decimation.tonesHz.length
    for (let antenna = 0; antenna < layout.receiveAntennas; antenna++) {
      const from = 2 * antenna * layout.transmitAntennas * alignment.tones
      decimateRow(decimation, response, from, this.#rows, to + antenna * antennaNumbers)
    }
    this.#timesS[this.#count++] = timeS
  }

  /** Removes all rows at the start of another hop. */
  clear(): void {
    this.#count = 0
  }

  /** A copy of the hop's rows and times. Where rows are averaged, the last few that do not fill a mean are dropped. */
  take(): DynamicResponse {
    const together = Math.max(1, Math.ceil(this.#count / rowsMax))
    const kept = Math.floor(this.#count / together)
    return {
      dynamic: meansOf(this.#rows, this.#numbers, together, kept),
      dynamicTimesS: meansOf(this.#timesS, 1, together, kept),
    }
  }
}

/** The first `kept` means of `together` neighbouring rows of `numbers` numbers each. */
const meansOf = (rows: Float32Array, numbers: number, together: number, kept: number): Float32Array => {
  if (together === 1) return rows.slice(0, kept * numbers)
  const means = new Float32Array(kept * numbers)
  for (let row = 0; row < kept * together; row++) {
    const to = Math.floor(row / together) * numbers
    for (let i = 0; i < numbers; i++) means[to + i]! += rows[row * numbers + i]! / together
  }
  return means
}
