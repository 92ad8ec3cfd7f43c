/**
 * The CSI segment of PicoScenes: one body for all devices, in seven versions.
 *
 * Owns its header and the decoding of each device's values. Layouts: RXS-Parsing-Core, `CSISegment.cxx`.
 */
import { ath9kAntennasMax, ath9kReportBytes, ath9kTones, readAth9kReport } from "./ath9k-report.ts"
import type { RadioLayout, Samples } from "./csi-batch.ts"
import {
  intel5300AntennasMax,
  intel5300ReportBytes,
  intel5300Subcarriers,
  intel5300Tones,
  readIntel5300Report,
} from "./intel5300-report.ts"
import { iwlmvmValueBytes, readReport, reportTonesOf } from "./iwlmvm.ts"
import { i16, u16, u32, u64 } from "./little-endian.ts"
import type { TransmissionFormat } from "./ofdm-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { matrixHeaderBytesMin, readSignalMatrix } from "./signal-matrix.ts"

/** The form of a device's values and clock. */
export type Family = "intel5300" | "ath9k" | "iwlmvm" | "sdr"

/** A device of PicoScenes. */
interface Device {
  readonly family: Family
  readonly name: string
}

/** Devices by their code in the segment. */
const devices: ReadonlyMap<number, Device> = new Map<number, Device>([
  [0x5300, { family: "intel5300", name: "Intel 5300" }],
  [0x9300, { family: "ath9k", name: "Atheros QCA9300" }],
  [0x2000, { family: "iwlmvm", name: "Intel AX200" }],
  [0x2100, { family: "iwlmvm", name: "Intel AX210" }],
  [0x1234, { family: "sdr", name: "USRP" }],
  [0x24d2, { family: "sdr", name: "SoapySDR" }],
  [0x1000, { family: "sdr", name: "simulated radio" }],
])

const versionMax = 7
/** First versions with each field of the header, or order of a matrix. */
const since = { offset: 2, matrices: 3, firmware: 4, secondCarrier: 5, matrixFirst: 7 } as const

/** Packet formats by code. The others (HE with several users, EHT) have different tones. */
const transmissionFormats: ReadonlyArray<TransmissionFormat> = ["legacy", "ht", "vht", "he"]

const antennasMax = 64
/** Tones of 802.11be at 320 MHz with guards. */
const tonesMax = 4096
const matricesMax = 256
/** Complex values of all matrices of a segment. */
const valuesMax = 2 ** 20

/** The header of a CSI segment. */
interface CsiSegment {
  readonly device: Device
  readonly version: number
  readonly format: TransmissionFormat | null
  readonly megahertz: number
  readonly carrierHz: number
  readonly spacingHz: number
  /** Values of one stream, including fillers of some devices. */
  readonly tones: number
  readonly transmit: number
  readonly receive: number
  /** CSI matrices in the segment, one per OFDM symbol. */
  readonly matrices: number
  readonly antennaSelection: number
  readonly indexOffset: number
  readonly dataAt: number
  readonly dataBytes: number
  readonly end: number
}

const refusal = (message: string, reason: Refusal["reason"] = "bad-field"): Refusal => ({ reason, message })

/** Reads the header of the segment in `bytes[at..end)`. */
export const readCsiSegment = (
  bytes: Uint8Array,
  at: number,
  end: number,
  version: number,
): CsiSegment | Refusal => {
  if (version < 1 || version > versionMax) {
    return refusal(`version ${version} of the CSI segment is unknown`, "unsupported-layout")
  }
  const carrierAt = at + (version >= since.firmware ? 6 : 5)
  const rateAt = carrierAt + (version >= since.secondCarrier ? 17 : 8)
  const countsAt = rateAt + 17
  const offsetAt = countsAt + (version >= since.matrices ? 3 : 1)
  const lengthAt = offsetAt + (version >= since.offset ? 2 : 0)
  const dataAt = lengthAt + 4
  if (dataAt > end) return refusal("the CSI segment is shorter than its header")
  const code = u16(bytes, at)
  const device = devices.get(code)
  if (device === undefined) return refusal(`the device 0x${code.toString(16)} is unknown`, "unsupported-layout")
  const segment: CsiSegment = {
    device,
    version,
    format: transmissionFormats[bytes[carrierAt - 3]!] ?? null,
    megahertz: u16(bytes, carrierAt - 2),
    carrierHz: u64(bytes, carrierAt),
    spacingHz: u32(bytes, rateAt + 8),
    tones: u16(bytes, rateAt + 12),
    transmit: bytes[rateAt + 14]! + bytes[rateAt + 16]!,
    receive: bytes[rateAt + 15]!,
    matrices: version >= since.matrices ? u16(bytes, countsAt) : 1,
    antennaSelection: bytes[offsetAt - 1]!,
    indexOffset: version >= since.offset ? i16(bytes, offsetAt) : 0,
    dataAt,
    dataBytes: u32(bytes, lengthAt),
    end,
  }
  return problemOf(segment) ?? segment
}

const problemOf = (segment: CsiSegment): Refusal | null => {
  const { carrierHz, dataAt, dataBytes, device, end, matrices, megahertz, receive, spacingHz, tones, transmit } =
    segment
  if (dataAt + dataBytes > end) return refusal("the CSI values exceed their segment")
  if (receive < 1 || transmit < 1 || receive * transmit > antennasMax) {
    return refusal(`${receive} x ${transmit} antennas are invalid`)
  }
  if (tones < 1 || tones > tonesMax) return refusal(`${tones} subcarriers are invalid`)
  if (matrices < 1 || matrices > matricesMax || (matrices > 1 && device.family !== "sdr")) {
    return refusal(`${matrices} CSI matrices in one segment are invalid`)
  }
  if (matrices * receive * transmit * tones > valuesMax) return refusal("more CSI values than a packet has", "too-long")
  if (megahertz < 1 || megahertz > 320 || spacingHz < 1 || spacingHz > 1e7 || carrierHz > 1e11) {
    return refusal(`${megahertz} MHz with subcarriers every ${spacingHz} Hz at ${carrierHz} Hz is invalid`)
  }
  return null
}

/** The layout of a segment's frames. */
export const layoutOf = (segment: CsiSegment, subcarrierIndices: Int16Array): RadioLayout => ({
  format: segment.device.family === "iwlmvm" ? "picoscenes-iwlmvm" : "picoscenes",
  receiveAntennas: segment.receive,
  transmitAntennas: segment.transmit,
  subcarrierIndices: segment.indexOffset === 0
    ? subcarrierIndices
    : subcarrierIndices.map((index) => index + segment.indexOffset),
  subcarrierSpacingHz: segment.spacingHz,
  centerFrequencyHz: segment.carrierHz,
  bandwidthHz: segment.megahertz * 1e6,
})

/** Decoded values of a segment: interleaved (re, im) [matrix][rx][tx][tone] in `csi`, and their tones, ascending. */
interface CsiValues {
  readonly subcarrierIndices: Int16Array
  readonly csi: Samples
}

/** Scratch arrays for samples of each type. The next call may return the same one. */
export class SampleSpace {
  #int8 = new Int8Array(0)
  #int16 = new Int16Array(0)
  #float32 = new Float32Array(0)

  int8(numbers: number): Int8Array {
    return this.#int8.length === numbers ? this.#int8 : this.#int8 = new Int8Array(numbers)
  }

  int16(numbers: number): Int16Array {
    return this.#int16.length === numbers ? this.#int16 : this.#int16 = new Int16Array(numbers)
  }

  float32(numbers: number): Float32Array {
    return this.#float32.length === numbers ? this.#float32 : this.#float32 = new Float32Array(numbers)
  }
}

/** Reads the values of a segment. */
export const readCsiValues = (bytes: Uint8Array, segment: CsiSegment, space: SampleSpace): CsiValues | Refusal =>
  readers[segment.device.family](bytes, segment, space)

const wrongLength = (segment: CsiSegment): Refusal =>
  refusal(
    `${segment.dataBytes} bytes are not ${segment.receive} x ${segment.transmit} x ${segment.tones} values`,
    "value-count",
  )

const wrongTones = ({ device, megahertz, tones }: CsiSegment): Refusal =>
  refusal(`${tones} subcarriers in ${megahertz} MHz are unknown for the ${device.name}`, "unsupported-layout")

const numbersOf = ({ matrices, receive, transmit }: CsiSegment, tones: number): number =>
  2 * matrices * receive * transmit * tones

const readIntel5300 = (bytes: Uint8Array, segment: CsiSegment, space: SampleSpace): CsiValues | Refusal => {
  const { antennaSelection, dataAt, dataBytes, megahertz, receive, tones, transmit } = segment
  if (tones !== intel5300Tones || (megahertz !== 20 && megahertz !== 40)) return wrongTones(segment)
  if (receive > intel5300AntennasMax || transmit > intel5300AntennasMax) return wrongLength(segment)
  if (dataBytes !== intel5300ReportBytes(receive * transmit)) return wrongLength(segment)
  const csi = space.int8(numbersOf(segment, tones))
  readIntel5300Report(bytes, dataAt, receive, transmit, antennaSelection, csi)
  return { subcarrierIndices: intel5300Subcarriers(megahertz === 40), csi }
}

const readAth9k = (bytes: Uint8Array, segment: CsiSegment, space: SampleSpace): CsiValues | Refusal => {
  const { dataAt, dataBytes, megahertz, receive, tones, transmit } = segment
  const plan = ath9kTones.get(tones)
  if (plan?.megahertz !== megahertz) return wrongTones(segment)
  if (receive > ath9kAntennasMax || transmit > ath9kAntennasMax) return wrongLength(segment)
  if (dataBytes !== ath9kReportBytes(tones, receive * transmit)) return wrongLength(segment)
  const csi = space.int16(numbersOf(segment, tones))
  readAth9kReport(bytes, dataAt, tones, receive, transmit, csi)
  return { subcarrierIndices: plan.subcarrierIndices, csi }
}

const readIwlmvm = (bytes: Uint8Array, segment: CsiSegment, space: SampleSpace): CsiValues | Refusal => {
  const { dataAt, dataBytes, format, megahertz, receive, tones, transmit } = segment
  const report = format === null ? null : reportTonesOf(format, megahertz, tones)
  if (report === null) return wrongTones(segment)
  if (dataBytes !== receive * transmit * tones * iwlmvmValueBytes) return wrongLength(segment)
  const csi = space.int16(numbersOf(segment, report.subcarrierIndices.length))
  readReport(bytes, dataAt, receive * transmit, report, csi)
  return { subcarrierIndices: report.subcarrierIndices, csi }
}

/** A matrix and the indices of its tones, which follow it since version 7. */
const readSdr = (bytes: Uint8Array, segment: CsiSegment, space: SampleSpace): CsiValues | Refusal => {
  const { dataAt, dataBytes, end, matrices, receive, tones, transmit, version } = segment
  const indexBytes = 2 * tones
  const matrixFirst = version >= since.matrixFirst
  const indicesAt = matrixFirst ? dataAt + dataBytes : dataAt
  const matrixAt = matrixFirst ? dataAt : dataAt + indexBytes
  const matrixEnd = dataAt + dataBytes
  if (indicesAt + indexBytes > end || matrixAt + matrixHeaderBytesMin > matrixEnd) return wrongLength(segment)
  const subcarrierIndices = new Int16Array(tones)
  for (let i = 0, before = -Infinity; i < tones; i++) {
    const index = i16(bytes, indicesAt + 2 * i)
    if (index <= before) return refusal("the subcarriers do not ascend", "unsupported-layout")
    subcarrierIndices[i] = before = index
  }
  const csi = space.float32(numbersOf(segment, tones))
  const refused = readSignalMatrix(bytes, matrixAt, matrixEnd, [tones, transmit, receive, matrices], csi)
  return refused ?? { subcarrierIndices, csi }
}

const readers: Readonly<Record<Family, typeof readSdr>> = {
  intel5300: readIntel5300,
  ath9k: readAth9k,
  iwlmvm: readIwlmvm,
  sdr: readSdr,
}
