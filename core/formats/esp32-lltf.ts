/**
 * The legacy training field of an ESP32's buffer.
 *
 * Owns the order of the bins of a packet, and the choice of the training field. Boundary: a reader of a text format finds the values and the
 * packet's mode.
 *
 * Of the other chips, every accepted buffer begins with the legacy long training field (LLTF, 64 bins); an HT packet adds the HT-LTF, and with STBC a
 * second one. All packets of a station have the LLTF, at any rate, so only the LLTF is used: a link is
 * one series with one layout. The cost is bandwidth: 16.6 MHz even if there is an HT-LTF of 36 MHz.
 *
 * Subcarriers of a buffer, and its numbers (ESP-IDF, "Wi-Fi Channel State Information"). With a secondary channel above or below, indices
 * are relative to the centre of the 40 MHz, so that -64..-1 and 0..63 both are -32..31 of the primary channel, ascending:
 *
 * | secondary | packet      | LLTF        | HT-LTF       | STBC-HT-LTF  | numbers |
 * |-----------|-------------|-------------|--------------|--------------|---------|
 * | none      | non-HT      | 0..31, -32..-1 |           |              | 128     |
 * | none      | HT20        | 0..31, -32..-1 | as LLTF   |              | 256     |
 * | none      | HT20, STBC  | 0..31, -32..-1 | as LLTF   | as LLTF      | 384     |
 * | below     | non-HT      | 0..63       |              |              | 128     |
 * | below     | HT20        | 0..63       | 0..63        |              | 256     |
 * | below     | HT20, STBC  | 0..63       | 0..62        | 0..62        | 380     |
 * | above     | non-HT      | -64..-1     |              |              | 128     |
 * | above     | HT20        | -64..-1     | -64..-1      |              | 256     |
 * | above     | HT20, STBC  | -64..-1     | -62..-1      | -62..-1      | 376     |
 * | either    | HT40        | as above    | 0..63, -64..-1 |            | 384     |
 * | either    | HT40, STBC  | as above    | 0..60, -60..-1 | as HT-LTF  | 612     |
 *
 * The device writes the imaginary part of a value first.
 *
 * The option CSI_AMPLITUDE of ESP32-CSI-Tool writes the amplitudes of the 64 bins as integers instead. The length of the buffer tells them
 * from a short one.
 */
import type { RadioLayout } from "./csi-batch.ts"
import type { Refusal } from "./record-stream.ts"
import { channelCenterHz, legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

/** Numbers of a buffer that begins with a legacy training field. */
const valueCounts: ReadonlyArray<number> = [128, 256, 376, 380, 384, 612]
const bins = legacyBins.length

/** The packet of a buffer, in the numbers of ESP-IDF. */
export interface PacketMode {
  readonly signalMode: number
  readonly bandwidth: number
  readonly stbc: number
  /** 0: none, 1: above, 2: below. */
  readonly secondaryChannel: number
}

/** Values by ascending subcarrier, interleaved (re, im). `csi` is valid until the next call. */
export interface Esp32Buffer {
  readonly layout: RadioLayout
  readonly csi: Int8Array | Float32Array
  readonly doubt: null
}

/** Layouts of the same subcarriers of 20 MHz, by channel; 0 for an unknown one. */
export class ChannelLayouts {
  readonly #subcarrierIndices: Int16Array
  readonly #layouts = new Map<number, RadioLayout>()

  constructor(subcarrierIndices: Int16Array) {
    this.#subcarrierIndices = subcarrierIndices
  }

  of(channel: number): RadioLayout {
    const known = this.#layouts.get(channel)
    if (known !== undefined) return known
    const layout: RadioLayout = {
      format: "esp32-csi-tool",
      receiveAntennas: 1,
      transmitAntennas: 1,
      subcarrierIndices: this.#subcarrierIndices,
      subcarrierSpacingHz: subcarrierSpacing11nHz,
      centerFrequencyHz: channelCenterHz(channel),
      bandwidthHz: 20e6,
    }
    this.#layouts.set(channel, layout)
    return layout
  }
}

/** Numbers in a buffer that starts with an LLTF, given the header (ESP-IDF's table of CSI lengths). */
const startsWithLltf = (values: number, { bandwidth, signalMode, stbc }: PacketMode): boolean => {
  if (values === 128) return true
  if (signalMode === 0) return false
  if (bandwidth === 0) return stbc === 0 ? values === 256 : values >= 376 && values <= 384
  return stbc === 0 ? values === 384 : values === 612
}

const areAmplitudes = (values: ArrayLike<number>): boolean => {
  for (let i = 0; i < bins; i++) if (values[i]! < 0) return false
  return true
}

/** Reads the buffers of one receiver. */
export class LltfReader {
  readonly #layouts = new ChannelLayouts(legacyBins)
  readonly #csi = new Int8Array(2 * bins)
  readonly #amplitudes = new Float32Array(2 * bins)

  /**
   * Reads `values[0..count)`.
   *
   * @param length numbers of the chip's buffer, as the record states it
   */
  read(
    values: ArrayLike<number>,
    count: number,
    length: number,
    mode: PacketMode,
    channel: number,
  ): Esp32Buffer | Refusal {
    const layout = this.#layouts.of(channel)
    if (count === bins && length >= 2 * bins && areAmplitudes(values)) return this.#readAmplitudes(values, mode, layout)
    if (!valueCounts.includes(count)) {
      return { reason: "value-count", message: `${count} CSI values, not ${valueCounts.join(", ")}` }
    }
    if (!startsWithLltf(count, mode)) {
      return {
        reason: "unsupported-layout",
        message: `${count} CSI values do not begin with a legacy training field for this sig_mode, bandwidth and stbc`,
      }
    }
    const csi = this.#csi
    const first = mode.secondaryChannel === 0 ? bins : 0
    for (let i = 0; i < 2 * bins; i += 2) {
      const at = (i + first) % (2 * bins)
      csi[i] = values[at + 1]!
      csi[i + 1] = values[at]!
    }
    return { layout, csi, doubt: null }
  }

  #readAmplitudes(values: ArrayLike<number>, { secondaryChannel }: PacketMode, layout: RadioLayout): Esp32Buffer {
    const csi = this.#amplitudes
    const first = secondaryChannel === 0 ? bins / 2 : 0
    for (let i = 0; i < bins; i++) csi[2 * i] = values[(i + first) % bins]!
    return { layout, csi, doubt: null }
  }
}
