/**
 * Intel 5300 captures of the Linux 802.11n CSI Tool (`.dat`).
 *
 * Owns the record format. Boundary: `intel5300-report.ts` reads the report within a record. One beamforming record (0xBB) is one
 * CSI frame; payload records (0xC1) are skipped. The tool does not name the transmitter, so it is "ap". Its variant for the WSR toolbox
 * (Harvard-REACT/WSR-Toolbox-cpp) adds a stamp before the report: the host's time, the sender's address, and a count.
 *
 * The tool's length of a record is big-endian. Other programs write it little-endian, which a chain of headers states. No length of a
 * beamforming record is one in both orders.
 */
import { type CsiFrame, unknownTransmitterId } from "./batch-builder.ts"
import { valuesPerFrame } from "./csi-batch.ts"
import { DeviceClock, SequenceCounter } from "./device-clock.ts"
import { chainAt, chainHeaders } from "./header-chain.ts"
import {
  intel5300AntennasMax,
  intel5300Layout,
  intel5300NoiseDbm,
  intel5300ReportBytes,
  intel5300RssiDbm,
  readIntel5300Report,
} from "./intel5300-report.ts"
import { i8, u16, u32 } from "./little-endian.ts"
import { MacNames } from "./mac-address.ts"
import { frame, lost, needMore, type RecordReader, skip, type Step } from "./record-stream.ts"

const beamformingCode = 0xbb
const payloadCode = 0xc1
/** Length and code. */
const prefixBytes = 3
const headerBytes = 20
const stampBytes = 18

const recordBytesMax = prefixBytes + headerBytes + stampBytes +
  intel5300ReportBytes(intel5300AntennasMax * intel5300AntennasMax)

/** Bytes that decide the byte order: whole records up to the last header of the chain. */
const chainBytesMax = (chainHeaders - 1) * recordBytesMax + prefixBytes + headerBytes

/** Byte offsets in a beamforming record. */
const field = {
  clock: 3,
  count: 7,
  receive: 11,
  transmit: 12,
  rssi: 13,
  noise: 16,
  agc: 17,
  antennaSelection: 18,
  reportBytes: 19,
  rate: 21,
  /** In a stamp. */
  sender: 31,
} as const

const lengthAt = (bytes: Uint8Array, at: number, little: boolean): number =>
  little ? u16(bytes, at) : bytes[at]! * 256 + bytes[at + 1]!

/** Length of the beamforming record at `at` by its header, bytes, or the step for other content. `little` is the byte order of the length. */
const beamformingAt = (bytes: Uint8Array, at: number, end: number, little: boolean): number | Step => {
  if (end - at < prefixBytes) return needMore
  const length = lengthAt(bytes, at, little)
  if (bytes[at + 2] !== beamformingCode || length < 1 + headerBytes || length + 2 > recordBytesMax) return lost
  if (end - at < prefixBytes + headerBytes) return needMore
  const receive = bytes[at + field.receive]!
  const transmit = bytes[at + field.transmit]!
  const packed = u16(bytes, at + field.reportBytes)
  if (receive < 1 || receive > intel5300AntennasMax || transmit < 1 || transmit > intel5300AntennasMax) return lost
  if (packed !== intel5300ReportBytes(receive * transmit)) return lost
  const between = length - 1 - headerBytes - packed
  return between === 0 || between === stampBytes ? length + 2 : lost
}

/** Length of the beamforming record at `at`, bytes, or the step for other content. */
const recordAt = (bytes: Uint8Array, at: number, end: number, little: boolean): number | Step => {
  if (end - at >= prefixBytes && bytes[at + 2] === payloadCode) {
    const length = lengthAt(bytes, at, little)
    return length > 0 ? skip(length + 2) : lost
  }
  const length = beamformingAt(bytes, at, end, little)
  return typeof length !== "number" || end - at >= length ? length : needMore
}

/** Reads Intel 5300 captures. `sequences` is the tool's bfee counter, unwrapped from 16 bits. */
export class Intel5300Reader implements RecordReader {
  readonly recordBytesMax = chainBytesMax
  readonly hardware = "Intel 5300"
  readonly #clock = new DeviceClock()
  readonly #counter = new SequenceCounter()
  readonly #macs = new MacNames()
  /** Whether lengths are little-endian; null before the first record with CSI. */
  #little: boolean | null = null
  #csi = new Int8Array(0)

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const length = recordAt(bytes, at, end, this.#little ?? false)
    if (typeof length === "number") return this.#read(bytes, at, length, this.#little ?? false, add)
    if (length !== lost || this.#little !== null) return length
    const chain = chainAt(at, (start) => beamformingAt(bytes, start, end, true))
    return typeof chain === "number" ? this.#read(bytes, at, chain, true, add) : chain
  }

  #read(bytes: Uint8Array, at: number, length: number, little: boolean, add: (frame: CsiFrame) => void): Step {
    this.#little = little
    const receive = bytes[at + field.receive]!
    const transmit = bytes[at + field.transmit]!
    const layout = intel5300Layout(receive, transmit, u16(bytes, at + field.rate))
    const values = 2 * valuesPerFrame(layout)
    if (this.#csi.length !== values) this.#csi = new Int8Array(values)
    const report = at + length - u16(bytes, at + field.reportBytes)
    const isStamped = report > at + prefixBytes + headerBytes
    readIntel5300Report(bytes, report, receive, transmit, bytes[at + field.antennaSelection]!, this.#csi)
    const rssi = at + field.rssi
    add({
      layout,
      timestampUs: this.#clock.at(u32(bytes, at + field.clock)),
      sequence: this.#counter.at(u16(bytes, at + field.count)),
      rssiDbm: intel5300RssiDbm(bytes[rssi]!, bytes[rssi + 1]!, bytes[rssi + 2]!, bytes[at + field.agc]!),
      noiseFloorDbm: intel5300NoiseDbm(i8(bytes, at + field.noise)),
      transmitterId: isStamped ? this.#macs.nameAt(bytes, at + field.sender) : unknownTransmitterId,
      csi: this.#csi,
    })
    return frame(length, null)
  }
}
