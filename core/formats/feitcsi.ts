/**
 * FeitCSI captures of the Intel AX200 and AX210.
 *
 * Owns the record: the firmware's header of 272 bytes, then the report. The documentation of FeitCSI ("CSI format") describes the
 * header in part. The clock and the centre frequency were found in captures of known channels, in which PicoScenes has the same header
 * and its own frequency. Boundary: `iwlmvm.ts` reads the report
 * and explains why its imaginary parts come first.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { type RadioLayout, sameLayout, valuesPerFrame } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { iwlmvmValueBytes, readReport, type ReportTones, reportTonesOf } from "./iwlmvm.ts"
import { u32 } from "./little-endian.ts"
import { MacNames } from "./mac-address.ts"
import { toneSpacingHz, type TransmissionFormat } from "./ofdm-tones.ts"
import { frame, lost, needMore, type RecordReader, type Refusal, type Step } from "./record-stream.ts"
import { totalDecibels, wholeDbm } from "./signal-strength.ts"

const headerBytes = 272
/** The devices have two antennas. */
const antennasMax = 2
/** Tones of 802.11be at 320 MHz, the most that any firmware of the family reports. */
const tonesMax = 3984
const recordBytesMax = headerBytes + antennasMax * antennasMax * tonesMax * iwlmvmValueBytes

/** Bytes of the header that detection needs. */
const sizesEnd = 56

/** Bits 8 to 10 of the rate flags; 0 is CCK, which has no tones. */
const formats: Readonly<Record<number, TransmissionFormat>> = { 1: "legacy", 2: "ht", 3: "vht", 4: "he" }
/** Bits 11 to 13 of the rate flags. */
const megahertzes: Readonly<Record<number, number>> = { 0: 20, 1: 40, 2: 80, 3: 160 }

/** Valid centre frequencies of a channel. */
const centerKhzMin = 2_400_000
const centerKhzMax = 7_200_000

/** Byte offsets of the header. */
const field = {
  reportBytes: 0,
  receive: 46,
  transmit: 47,
  tones: 52,
  attenuations: 60,
  mac: 68,
  clockUs: 88,
  rate: 92,
  centerKhz: 176,
} as const

/** Length of the record at `at`, bytes, or the step for other content. */
const recordAt = (bytes: Uint8Array, at: number, end: number): number | Step => {
  if (end - at < sizesEnd) return needMore
  const receive = bytes[at + field.receive]!
  const transmit = bytes[at + field.transmit]!
  const tones = u32(bytes, at + field.tones)
  if (receive < 1 || receive > antennasMax || transmit < 1 || transmit > antennasMax) return lost
  if (tones < 1 || tones > tonesMax) return lost
  const reportBytes = receive * transmit * tones * iwlmvmValueBytes
  if (u32(bytes, at + field.reportBytes) !== reportBytes) return lost
  const length = headerBytes + reportBytes
  return end - at < length ? needMore : length
}

/** Reads FeitCSI captures. The header has no packet counter: sequences are 0. */
export class FeitCsiReader implements RecordReader {
  readonly recordBytesMax = recordBytesMax
  readonly hardware = "Intel AX200/AX210 (FeitCSI)"
  readonly #clock = new DeviceClock()
  readonly #names = new MacNames()
  #layout: RadioLayout | null = null
  #csi = new Int16Array(0)

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const length = recordAt(bytes, at, end)
    return typeof length === "number" ? frame(length, this.#read(bytes, at, add)) : length
  }

  #read(bytes: Uint8Array, at: number, add: (frame: CsiFrame) => void): Refusal | null {
    const rate = u32(bytes, at + field.rate)
    const format = formats[(rate >> 8) & 7]
    const megahertz = megahertzes[(rate >> 11) & 7]
    const values = u32(bytes, at + field.tones)
    const tones = format === undefined || megahertz === undefined ? null : reportTonesOf(format, megahertz, values)
    if (tones === null) {
      return {
        reason: "unsupported-layout",
        message: `${values} subcarriers do not fit a transmission with the rate flags 0x${rate.toString(16)}`,
      }
    }
    const receive = bytes[at + field.receive]!
    const transmit = bytes[at + field.transmit]!
    const layout = this.#layoutOf(tones, receive, transmit, centerHz(u32(bytes, at + field.centerKhz)))
    readReport(bytes, at + headerBytes, receive * transmit, tones, this.#csi)
    add({
      layout,
      timestampUs: this.#clock.at(u32(bytes, at + field.clockUs)),
      sequence: 0,
      rssiDbm: rssiDbm(bytes, at, receive),
      noiseFloorDbm: 0,
      transmitterId: this.#names.nameAt(bytes, at + field.mac),
      csi: this.#csi,
    })
    return null
  }

  #layoutOf(
    { format, megahertz, subcarrierIndices }: ReportTones,
    receiveAntennas: number,
    transmitAntennas: number,
    centerFrequencyHz: number,
  ): RadioLayout {
    const layout: RadioLayout = {
      format: "feitcsi",
      receiveAntennas,
      transmitAntennas,
      subcarrierIndices,
      subcarrierSpacingHz: toneSpacingHz(format),
      centerFrequencyHz,
      bandwidthHz: megahertz * 1e6,
    }
    if (this.#layout !== null && sameLayout(this.#layout, layout)) return this.#layout
    this.#csi = new Int16Array(2 * valuesPerFrame(layout))
    return this.#layout = layout
  }
}

const centerHz = (kilohertz: number): number =>
  kilohertz >= centerKhzMin && kilohertz <= centerKhzMax ? kilohertz * 1e3 : 0

/** An antenna's power as dB above -255 dBm; the header has dB below 1 mW. 0 if unknown. */
const decibelsAt = (bytes: Uint8Array, at: number): number => {
  const attenuation = u32(bytes, at)
  return attenuation > 0 && attenuation < 128 ? 255 - attenuation : 0
}

/** Received power of all antennas; 0 if unknown. */
const rssiDbm = (bytes: Uint8Array, at: number, antennas: number): number => {
  const first = at + field.attenuations
  const total = totalDecibels(decibelsAt(bytes, first), antennas > 1 ? decibelsAt(bytes, first + 4) : 0)
  return total === null ? 0 : wholeDbm(total - 255)
}
