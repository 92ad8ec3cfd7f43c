/**
 * Rows of Nexmon captures that pcap-to-csv wrote: the columns `_0`, `_1`, … hold the transform of a packet, one complex number each.
 *
 * Owns the order of the bins, which nothing states. The tool writes ascending subcarriers. But tables exist whose rows have 64 values in more
 * columns, one block of 20 MHz, from the centre of the block upwards. The null bins of 20 MHz show the order: firmware leaves
 * arbitrary numbers there, whose sizes are not those of a channel. Of wider transforms, packets may fill a part only, so that the same sizes show
 * nothing, and the order of the tool is taken.
 */
import { type BinOrder, BinOrderDecision, contradictedOrder, unknownOrder } from "./bin-order.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { isTransformSize, transformLayout } from "./nexmon-payload.ts"
import { subcarriersOf, tonePlanOf } from "./ofdm-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { legacyBins } from "./wifi-channel.ts"

const sender = "the receiver"
const valueMax = 2 ** 15

const narrow = legacyBins.length
const carriers = subcarriersOf(tonePlanOf("vht", 20)!)
const carriesAscending = (column: number): boolean => carriers.includes(column - narrow / 2)
const carriesCentreFirst = (column: number): boolean =>
  carriers.includes(column < narrow / 2 ? column : column - narrow)
const columns = Array.from(legacyBins.keys())
/** Columns whose bin is null in one order only, and those of a channel in both. */
const nullIfAscending = columns.filter((column) => !carriesAscending(column) && carriesCentreFirst(column))
const nullIfCentreFirst = columns.filter((column) => carriesAscending(column) && !carriesCentreFirst(column))
const carrying = columns.filter((column) => carriesAscending(column) && carriesCentreFirst(column))

/** How much more the sizes of the null bins must differ from the median, on average, than those of the other candidates: nepers. */
const nullNepers = 0.5

/** The order that the null bins of a row of 20 MHz show; null if undecided. */
const orderOf = (numbers: ArrayLike<number>): BinOrder | null => {
  const size = (column: number): number => Math.log(1 + Math.hypot(numbers[2 * column]!, numbers[2 * column + 1]!))
  const median = carrying.map(size).sort((a, b) => a - b)[carrying.length >> 1]!
  const difference = (nulls: ReadonlyArray<number>): number =>
    nulls.reduce((sum, column) => sum + Math.abs(size(column) - median), 0) / nulls.length
  const evidence = difference(nullIfAscending) - difference(nullIfCentreFirst)
  if (Math.abs(evidence) <= nullNepers) return null
  return evidence > 0 ? "ascending" : "centre-first"
}

/** Reads the rows of one receiver. */
export class NexmonRows {
  readonly #order = new BinOrderDecision("ascending")
  readonly #layouts = new Map<number, RadioLayout>()
  #isReported = false

  /** Reads interleaved (re, im) in the order of the columns. */
  read(numbers: ReadonlyArray<number>): {
    readonly layout: RadioLayout
    readonly csi: Int16Array
    readonly doubt: Refusal | null
  } | Refusal {
    const tones = numbers.length / 2
    if (!isTransformSize(tones)) {
      return { reason: "value-count", message: `${tones} complex numbers, not those of 20 to 160 MHz` }
    }
    const wrong = numbers.findIndex((number) => !(Number.isInteger(number) && number >= -valueMax && number < valueMax))
    if (wrong >= 0) {
      return { reason: "bad-value", message: `column _${wrong >> 1} is not a complex number of 16-bit integers` }
    }
    const order = tones === narrow ? this.#order.next(orderOf(numbers), false) : "ascending"
    if (order === null) return contradictedOrder(sender)
    const csi = Int16Array.from(numbers)
    if (order === "centre-first") {
      csi.set(numbers.slice(tones), 0)
      csi.set(numbers.slice(0, tones), tones)
    }
    return { layout: this.#layoutOf(tones), csi, doubt: this.#doubt() }
  }

  #layoutOf(tones: number): RadioLayout {
    const known = this.#layouts.get(tones)
    if (known !== undefined) return known
    const layout = transformLayout(tones, { cores: 1, streams: 1, centerFrequencyHz: 0 })
    this.#layouts.set(tones, layout)
    return layout
  }

  #doubt(): Refusal | null {
    if (this.#isReported || this.#order.finding !== "unknown") return null
    this.#isReported = true
    return unknownOrder(sender, "-32 to 31")
  }
}
