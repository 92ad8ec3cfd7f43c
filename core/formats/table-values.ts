/**
 * The values of one packet in a text: a buffer of an ESP32, amplitudes, or the complex numbers of Nexmon (`nexmon-table.ts`).
 *
 * Owns what a row of numbers is, and its subcarriers. Boundary: a reader of a text format finds the numbers, `bin-order.ts` decides the order
 * of the bins that nothing states, from the guards.
 *
 * - A buffer is pairs of 8-bit integers, the imaginary part first. Of one with training fields of 64 bins, only the first is used, the
 *   legacy one. The other lengths are those of chips with Wi-Fi 6.
 * - Amplitudes are never negative. 64, 128 or 192 of them are those of such fields, and the first 64 are used. Of another number, they are
 *   the tones of a transmission or adjacent subcarriers (`npz-tones.ts`), in ascending order, which a warning states.
 * - Where loggers call the first part of a pair real, they may have exchanged the parts. So only amplitudes are read from such pairs.
 */
import { binOf, BinOrderDecision, binOrderOf, binOrderOfPairs, contradictedOrder, unknownOrder } from "./bin-order.ts"
import type { RadioLayout, Samples } from "./csi-batch.ts"
import { HeBufferReader } from "./esp32-he-buffer.ts"
import { ChannelLayouts, LltfReader, type PacketMode } from "./esp32-lltf.ts"
import { NexmonRows } from "./nexmon-table.ts"
import { channelTonesOf } from "./npz-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { channelCenterHz, legacyBins } from "./wifi-channel.ts"

const bins = legacyBins.length
/** Numbers of a buffer with legacy training fields, of which the packet's mode is not stated, and of amplitudes of such. */
const fieldCounts: ReadonlyArray<number> = [128, 256, 384]
const sender = "the receiver"

/**
 * What the numbers are: a buffer, bytes that may be a buffer or numbers of another size, pairs of unknown order, amplitudes, the complex numbers of
 * Nexmon, or what their signs show.
 */
export type ValueKind = "buffer" | "bytes" | "pairs" | "amplitudes" | "complex" | "unstated"

/** Values by ascending subcarrier, interleaved (re, im). `csi` is valid until the next call. */
interface Packet {
  readonly layout: RadioLayout
  readonly csi: Samples
  readonly doubt: Refusal | null
}

const is8Bit = (value: number): boolean => Number.isInteger(value) && value >= -128 && value <= 127

/** The amplitudes of pairs. */
const amplitudesOf = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: values.length >> 1 }, (_, i) => Math.hypot(values[2 * i]!, values[2 * i + 1]!))

const unstatedSize = (bytes: number): Refusal => ({
  reason: "unsupported-layout",
  message:
    `nothing shows that the ${bytes} bytes of CSI are 8-bit numbers of an ESP32. If they are, write their number to ` +
    "a field csi_len",
})

/** Reads the values of one receiver. */
export class TableValues {
  readonly #order = new BinOrderDecision()
  readonly #layouts = new ChannelLayouts(legacyBins)
  readonly #lltf = new LltfReader()
  readonly #heBuffers = new HeBufferReader()
  readonly #csi = new Int8Array(2 * bins)
  readonly #amplitudes = new Float32Array(2 * bins)
  readonly #otherLayouts = new Map<string, RadioLayout>()
  readonly #nexmon = new NexmonRows()
  #isBuffer = false
  #isNexmon = false
  #isReported = false

  /** The hardware of the values so far; amplitudes may be of any. */
  get hardware(): string | null {
    return this.#isNexmon ? "Broadcom (Nexmon)" : this.#isBuffer ? "ESP32" : null
  }

  /** @param mode null if nothing states it; then the guards of all packets decide the order */
  read(values: ReadonlyArray<number>, kind: ValueKind, mode: PacketMode | null, channel: number): Packet | Refusal {
    if (kind === "complex") {
      this.#isNexmon = true
      return this.#nexmon.read(values)
    }
    const wrong = values.findIndex((value) => !Number.isFinite(value))
    if (wrong >= 0) return { reason: "bad-value", message: `CSI value ${wrong + 1} is not a number` }
    const looksLikeBuffer = (mode !== null && values.length > bins) || values.some((value) => value < 0)
    this.#isBuffer ||= ["buffer", "bytes", "pairs"].includes(kind) || (kind === "unstated" && looksLikeBuffer)
    if (kind === "amplitudes" || (kind === "unstated" && !this.#isBuffer)) return this.#readAmplitudes(values, channel)
    const large = values.findIndex((value) => !is8Bit(value))
    if (large >= 0) return { reason: "bad-value", message: `CSI value ${large + 1} is not an 8-bit integer` }
    if (kind === "bytes" && mode === null && !this.#areNumbers(values)) return unstatedSize(values.length)
    return this.#readBuffer(values, kind === "pairs", mode, channel)
  }

  /** Whether the guards of these bytes, or those of enough before, show that each is a number. */
  #areNumbers(values: ReadonlyArray<number>): boolean {
    if (!fieldCounts.includes(values.length)) return false
    const { finding } = this.#order
    return (finding !== null && finding !== "unknown") || binOrderOfPairs(values, 0) !== null
  }

  #readBuffer(
    values: ReadonlyArray<number>,
    amplitudesOnly: boolean,
    mode: PacketMode | null,
    channel: number,
  ): Packet | Refusal {
    const count = values.length
    if (mode !== null) return this.#lltf.read(values, count, count, mode, channel)
    if (!fieldCounts.includes(count)) {
      return amplitudesOnly
        ? this.#readTones(amplitudesOf(values), channel)
        : this.#heBuffers.read(values, count, channel)
    }
    const order = this.#order.next(binOrderOfPairs(values, 0), false)
    if (order === null) return contradictedOrder(sender)
    const csi = amplitudesOnly ? this.#amplitudes : this.#csi
    for (let i = 0; i < bins; i++) {
      const at = 2 * binOf(legacyBins[i]!, order)
      csi[2 * i] = amplitudesOnly ? Math.hypot(values[at]!, values[at + 1]!) : values[at + 1]!
      csi[2 * i + 1] = amplitudesOnly ? 0 : values[at]!
    }
    return { layout: this.#layouts.of(channel), csi, doubt: this.#doubt() }
  }

  #readAmplitudes(values: ReadonlyArray<number>, channel: number): Packet | Refusal {
    if (!fieldCounts.includes(2 * values.length)) return this.#readTones(values, channel)
    const order = this.#order.next(binOrderOf((bin) => values[bin]!), false)
    if (order === null) return contradictedOrder(sender)
    const csi = this.#amplitudes
    for (let i = 0; i < bins; i++) {
      csi[2 * i] = values[binOf(legacyBins[i]!, order)]!
      csi[2 * i + 1] = 0
    }
    return { layout: this.#layouts.of(channel), csi, doubt: this.#doubt() }
  }

  /** Amplitudes of another number of subcarriers. */
  #readTones(values: ReadonlyArray<number>, channel: number): Packet | Refusal {
    const key = `${values.length} ${channel}`
    let layout = this.#otherLayouts.get(key)
    if (layout === undefined) {
      const tones = channelTonesOf(values.length, null, null)
      if ("reason" in tones) return tones
      const { positions: _, ...columns } = tones
      const centerFrequencyHz = channelCenterHz(channel)
      layout = { format: "csv", receiveAntennas: 1, transmitAntennas: 1, centerFrequencyHz, ...columns }
      this.#otherLayouts.set(key, layout)
    }
    const csi = new Float32Array(2 * values.length)
    for (let i = 0; i < values.length; i++) csi[2 * i] = values[i]!
    const { subcarrierIndices } = layout
    const doubt = this.#isReported
      ? null
      : unknownOrder(sender, `${subcarrierIndices[0]} to ${subcarrierIndices.at(-1)}`)
    this.#isReported = true
    return { layout, csi, doubt }
  }

  #doubt(): Refusal | null {
    if (this.#isReported || this.#order.finding !== "unknown") return null
    this.#isReported = true
    return unknownOrder(sender)
  }
}
