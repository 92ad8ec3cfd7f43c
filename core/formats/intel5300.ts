/**
 * Intel 5300 captures of the Linux 802.11n CSI Tool (`.dat`).
 *
 * Owns the record format. Boundary: the report within a record is read in `intel5300-report.ts`. One beamforming record (0xBB) is one
 * CSI frame; payload records (0xC1) are passed over. The capture does not say who sent: the transmitter is "ap".
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { DeviceClock, SequenceCounter } from "./device-clock.ts"
import {
  intel5300AntennasMax,
  intel5300ReportBytes,
  intel5300Subcarriers,
  intel5300Tones,
  readIntel5300Report,
} from "./intel5300-report.ts"
import { lost, needMore, type RecordReader, type Refusal, type Step } from "./record-stream.ts"
import { totalPowerDbm } from "./signal-strength.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

const beamformingCode = 0xbb
const payloadCode = 0xc1
/** Length and code. */
const prefixBytes = 3
const headerBytes = 20
const noiseUnknownDbm = -127
const rate40MHz = 0x800

const recordBytesMax = prefixBytes + headerBytes + intel5300ReportBytes(intel5300AntennasMax * intel5300AntennasMax)

/** What one beamforming header says. */
interface Header {
  readonly timestamp: number
  readonly count: number
  readonly receive: number
  readonly transmit: number
  readonly rssi: ReadonlyArray<number>
  readonly noiseDbm: number
  readonly agc: number
  readonly antennaSelection: number
  readonly rate: number
}

/** Says what stands at `at`, without reading past `end`. */
const stepAt = (bytes: Uint8Array, at: number, end: number): Step => {
  if (end - at < prefixBytes) return needMore
  const length = bytes[at]! * 256 + bytes[at + 1]!
  const code = bytes[at + 2]!
  if (code === payloadCode && length > 0) return { kind: "skip", bytes: length + 2 }
  if (code !== beamformingCode) return lost
  if (length < 1 + headerBytes || length + 2 > recordBytesMax) return lost
  if (end - at < prefixBytes + headerBytes) return needMore
  const receive = bytes[at + 11]!
  const transmit = bytes[at + 12]!
  const packed = bytes[at + 19]! + bytes[at + 20]! * 256
  if (receive < 1 || receive > intel5300AntennasMax || transmit < 1 || transmit > intel5300AntennasMax) return lost
  if (packed !== intel5300ReportBytes(receive * transmit) || length !== 1 + headerBytes + packed) return lost
  return end - at < length + 2 ? needMore : { kind: "frame", bytes: length + 2 }
}

/** Reads Intel 5300 captures. `sequences` is the tool's bfee counter with its 16-bit wraps undone. */
export class Intel5300Reader implements RecordReader {
  readonly recordBytesMax = recordBytesMax
  readonly hardware = "Intel 5300"
  readonly #clock = new DeviceClock()
  readonly #counter = new SequenceCounter()

  stepAt(bytes: Uint8Array, at: number, end: number): Step {
    return stepAt(bytes, at, end)
  }

  read(bytes: Uint8Array, at: number, _length: number, add: (frame: CsiFrame) => void): Refusal | null {
    const header = readHeader(bytes, at)
    const { antennaSelection, receive, transmit } = header
    const csi = new Float32Array(receive * transmit * intel5300Tones * 2)
    readIntel5300Report(bytes, at + prefixBytes + headerBytes, receive, transmit, antennaSelection, csi)
    add({
      layout: layoutOf(header),
      timestampUs: this.#clock.at(header.timestamp),
      sequence: this.#counter.at(header.count),
      rssiDbm: totalRssiDbm(header),
      noiseFloorDbm: header.noiseDbm === noiseUnknownDbm ? 0 : header.noiseDbm,
      transmitterId: unknownTransmitterId,
      csi,
    })
    return null
  }
}

const readHeader = (bytes: Uint8Array, at: number): Header => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + prefixBytes, headerBytes)
  return {
    timestamp: view.getUint32(0, true),
    count: view.getUint16(4, true),
    receive: view.getUint8(8),
    transmit: view.getUint8(9),
    rssi: [view.getUint8(10), view.getUint8(11), view.getUint8(12)],
    noiseDbm: view.getInt8(13),
    agc: view.getUint8(14),
    antennaSelection: view.getUint8(15),
    rate: view.getUint16(18, true),
  }
}

const layoutOf = (header: Header): RadioLayout => {
  const wide = (header.rate & rate40MHz) !== 0
  return {
    format: "intel5300",
    receiveAntennas: header.receive,
    transmitAntennas: header.transmit,
    subcarrierIndices: intel5300Subcarriers(wide),
    subcarrierSpacingHz: subcarrierSpacing11nHz,
    centerFrequencyHz: 0,
    bandwidthHz: wide ? 40e6 : 20e6,
  }
}

/** Received power over the antennas: the device reports each in dB above -44 dBm - AGC; 0 when it reports none. */
const totalRssiDbm = ({ agc, rssi }: Header): number =>
  totalPowerDbm(rssi.filter((power) => power > 0).map((power) => power - 44 - agc))
