/**
 * CSI buffers of the ESP32-C5, C6 and C61, whose chips have Wi-Fi 6 and write one training field per packet.
 *
 * Owns the forms of these buffers by their length, and the order of their bins. The console prints neither the chip nor the secondary
 * channel, so the order is derived from the bins without a signal: the centre, and the guards if the buffer has them.
 *
 * | numbers | bins | subcarriers          | chip, packet                  |
 * |---------|------|----------------------|-------------------------------|
 * | 106     | 26   | -26..26, even, not 0 | C5 and C61, legacy, 12 bits   |
 * | 106     | 53   | -26..26              | C5 and C61, legacy, 8 bits    |
 * | 114     | 57   | -28..28              | C5, HT or VHT of 20 MHz       |
 * | 128     | 64   | -32..31 with guards  | C6, 20 MHz                    |
 * | 234     | 117  | -58..58              | C5, HT of 40 MHz              |
 * | 256     | 128  | -64..63 with guards  | C6, HT of 40 MHz              |
 *
 * Orders: `centre-first` has the subcarriers from 0 up and then the negative ones; `ascending` begins with the lowest one. ESP-IDF
 * ("Wi-Fi Channel State Information" of the ESP32-C5) states the lengths and both orders for the C5. Captures of a C6 at 40 MHz are
 * ascending: their bins of -64..-59, -1..1 and 59..63 are 0. Buffers of other lengths, such as those of HE packets, are rejected.
 *
 * A legacy field has parts of 12 bits, unless `lltf_bit_mode` of `wifi_csi_acquire_config_t` asks for 8 (Espressif in esp-idf issue 18982): two bytes each, the
 * low one first, and after the 26 values two bytes without one. Bits 12 to 15 are 0 in captures, which tells the two apart.
 *
 * The imaginary part of a value is first.
 */
import { type BinOrder, BinOrderDecision, binOrderOfPairs, contradictedOrder, unknownOrder } from "./bin-order.ts"
import type { RadioLayout } from "./csi-batch.ts"
import type { Refusal } from "./record-stream.ts"
import { channelCenterHz, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** The form of a buffer. */
interface BufferForm {
  readonly subcarrierIndices: Int16Array
  readonly megahertz: 20 | 40
  /** The order that a buffer shows; null if it shows none. */
  readonly shown: (values: ArrayLike<number>) => BinOrder | null
}

/** Maximum part of a value without a signal. */
const quietMax = 1

const isQuiet = (values: ArrayLike<number>, bin: number): boolean =>
  Math.abs(values[2 * bin]!) <= quietMax && Math.abs(values[2 * bin + 1]!) <= quietMax

/** Bins that are without a signal in one order, and subcarriers with one in the other. */
const shownBy =
  (centreFirst: ReadonlyArray<number>, ascending: ReadonlyArray<number>): BufferForm["shown"] => (values) => {
    const middle = centreFirst.every((bin) => isQuiet(values, bin))
    const outer = ascending.every((bin) => isQuiet(values, bin))
    if (middle === outer) return null
    return middle ? "centre-first" : "ascending"
  }

const form = (lowest: number, bins: number, megahertz: 20 | 40, shown: BufferForm["shown"]): BufferForm => ({
  subcarrierIndices: Int16Array.from({ length: bins }, (_, i) => lowest + i),
  megahertz,
  shown,
})

/** Forms by the number of values. The first four bytes of a buffer may be invalid, so bins 0 and 1 are no evidence where others are. */
const forms: ReadonlyMap<number, BufferForm> = new Map([
  [106, form(-26, 53, 20, shownBy([0], [26]))],
  [114, form(-28, 57, 20, shownBy([0], [28]))],
  [128, form(-32, 64, 20, (values) => binOrderOfPairs(values, 0))],
  [234, form(-58, 117, 40, shownBy([1, 116], [57, 58, 59]))],
  [256, form(-64, 128, 40, shownBy([60, 61, 62, 66, 67, 68], [2, 3, 4, 5, 123, 124, 125, 126, 127]))],
])

/**
 * The format of the layouts at 20 MHz is that of the other ESP32, which uses the legacy subcarriers alone: a buffer does not state its
 * training field, and its subcarriers 0 and 1 may be invalid.
 */
const layoutOf = ({ megahertz, subcarrierIndices }: Omit<BufferForm, "shown">, channel: number): RadioLayout => ({
  format: megahertz === 20 ? "esp32-csi-tool" : "esp32-ht40",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  // At 40 MHz that of the primary channel: the centre is 10 MHz above or below it.
  centerFrequencyHz: channelCenterHz(channel),
  bandwidthHz: megahertz * 1e6,
})

/** Numbers of a buffer of the legacy field of a C5 or C61. */
const legacyCount = 106
const wideSubcarriers = Int16Array.from({ length: 53 }, (_, i) => i - 26).filter((k) => k !== 0 && k % 2 === 0)
/** Buffers in a row that a receiver of 8 bits cannot send. */
const wideFramesMin = 64

/** Decides whether the parts of a receiver's legacy fields have 12 bits. */
class PartWidth {
  #hasBytes = false
  #run = 0

  /** Takes the next buffer; returns whether it has parts of 12 bits. */
  isWide(values: ArrayLike<number>): boolean {
    for (let i = 1; i < 4 * wideSubcarriers.length; i += 2) {
      if (values[i]! >= 0 && values[i]! <= 15) continue
      this.#hasBytes = true
      this.#run = 0
      return false
    }
    this.#run++
    return !this.#hasBytes || this.#run >= wideFramesMin
  }
}

/** A part of 12 bits with its sign. */
const part12 = (low: number, high: number): number => ((low & 0xFF | high << 8) << 20) >> 20

/** A buffer by ascending subcarrier, interleaved (re, im). `csi` is valid until the next call. */
interface HeFrame {
  readonly layout: RadioLayout
  readonly csi: Int8Array | Int16Array
  /** A warning about this and all later buffers of this length. */
  readonly doubt: Refusal | null
}

const receiver = "the receiver"

/** Reads the buffers of one receiver. Buffers of one length have one order. */
export class HeBufferReader {
  readonly #orders = new Map<number, BinOrderDecision>()
  readonly #layouts = new Map<string, RadioLayout>()
  readonly #rows = new Map<number, Int8Array>()
  readonly #legacyWidth = new PartWidth()
  readonly #wideRow = new Int16Array(2 * wideSubcarriers.length)
  /** Lengths whose unknown order is reported. */
  readonly #reported = new Set<number>()

  /** Reads `values[0..count)`. */
  read(values: ArrayLike<number>, count: number, channel: number): HeFrame | Refusal {
    const known = forms.get(count)
    if (known === undefined) {
      return { reason: "value-count", message: `${count} CSI values, not ${[...forms.keys()].join(", ")}` }
    }
    if (count === legacyCount && this.#legacyWidth.isWide(values)) return this.#readWide(values, channel)
    const decision = made(this.#orders, count, () => new BinOrderDecision())
    const order = decision.next(known.shown(values), false)
    if (order === null) return contradictedOrder(receiver)
    const bins = known.subcarrierIndices.length
    const csi = made(this.#rows, count, () => new Int8Array(count))
    const lowestBin = order === "ascending" ? 0 : (bins + 1) >> 1
    for (let i = 0; i < bins; i++) {
      const at = 2 * ((i + lowestBin) % bins)
      csi[2 * i] = values[at + 1]!
      csi[2 * i + 1] = values[at]!
    }
    const layout = made(this.#layouts, `${count} ${channel}`, () => layoutOf(known, channel))
    return { layout, csi, doubt: this.#doubt(known, count, decision) }
  }

  #readWide(values: ArrayLike<number>, channel: number): HeFrame {
    const csi = this.#wideRow
    for (let i = 0; i < csi.length; i += 2) {
      csi[i] = part12(values[2 * i + 2]!, values[2 * i + 3]!)
      csi[i + 1] = part12(values[2 * i]!, values[2 * i + 1]!)
    }
    const layout = made(
      this.#layouts,
      `wide ${channel}`,
      () => layoutOf({ subcarrierIndices: wideSubcarriers, megahertz: 20 }, channel),
    )
    return { layout, csi, doubt: null }
  }

  #doubt({ subcarrierIndices }: BufferForm, count: number, { finding }: BinOrderDecision): Refusal | null {
    if (finding !== "unknown" || this.#reported.has(count)) return null
    this.#reported.add(count)
    return unknownOrder(receiver, `0 to ${subcarrierIndices.at(-1)}, ${subcarrierIndices[0]} to -1`)
  }
}

/** The value of a key, which is made if there is none. */
const made = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}
