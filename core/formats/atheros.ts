/**
 * Atheros captures of the ath9k CSI tool (`.dat`).
 *
 * Owns the record: length, header, CSI, and the packet itself. Boundary: one record with CSI is one CSI frame; records without CSI are
 * skipped. The packet contains its transmitter and its number.
 *
 * The tool writes the byte order of its machine. On big-endian routers some of its versions begin the capture with the byte 0xFF. Without
 * it, a chain of headers states the order.
 */
import { ath9kAntennasMax, ath9kReportBytes, ath9kTones, ath9kTonesMax, readAth9kReport } from "./ath9k-report.ts"
import type { CsiFrame } from "./batch-builder.ts"
import type { RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { chainAt, chainHeaders } from "./header-chain.ts"
import { u16, u32 } from "./little-endian.ts"
import { MacNames } from "./mac-address.ts"
import { senderOf } from "./packet-sender.ts"
import { frame, head, lost, needMore, type RecordReader, skip, type Step } from "./record-stream.ts"
import { wholeDbm } from "./signal-strength.ts"
import { StationCounter } from "./station-counter.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

const bigEndianMark = 0xff
const markBytes = 1
const lengthBytes = 2
const headerBytes = 25
/** Longer than any packet of 802.11n. */
const packetBytesMax = 8192
const channelMHzMin = 2400
const channelMHzMax = 6000

const recordBytesMax = lengthBytes + headerBytes + ath9kReportBytes(ath9kTonesMax, ath9kAntennasMax ** 2) +
  packetBytesMax

/** Bytes that decide the byte order: whole records up to the last header of the chain. */
const chainBytesMax = (chainHeaders - 1) * recordBytesMax + lengthBytes + headerBytes

/** Byte offsets in a record. */
const field = {
  clock: 2,
  csiBytes: 10,
  channelMHz: 12,
  noise: 15,
  tones: 18,
  receive: 19,
  transmit: 20,
  rssi: 21,
  packetBytes: 25,
}
const csiAt = lengthBytes + headerBytes

/** Noise floor of hardware that does not measure it; strengths are relative to it (ath9k's default). */
const defaultNoiseDbm = -95
/** A strength that was not measured. */
const rssiUnknown = 128

/** Length of the record at `at` by its header, bytes, or the step for other content. `big` is the byte order of the header. */
const headerAt = (bytes: Uint8Array, at: number, end: number, big: boolean): number | Step => {
  if (end - at < csiAt) return needMore
  const length = half(bytes, at, big)
  const csiBytes = half(bytes, at + field.csiBytes, big)
  const packetBytes = half(bytes, at + field.packetBytes, big)
  const channelMHz = half(bytes, at + field.channelMHz, big)
  if (length !== headerBytes + csiBytes + packetBytes || packetBytes > packetBytesMax) return lost
  if (channelMHz < channelMHzMin || channelMHz > channelMHzMax) return lost
  if (csiBytes === 0) return lengthBytes + length
  const receive = bytes[at + field.receive]!
  const transmit = bytes[at + field.transmit]!
  const tones = bytes[at + field.tones]!
  if (receive < 1 || receive > ath9kAntennasMax || transmit < 1 || transmit > ath9kAntennasMax) return lost
  if (!ath9kTones.has(tones) || csiBytes !== ath9kReportBytes(tones, receive * transmit)) return lost
  return lengthBytes + length
}

/** Length of the record with CSI at `at`, bytes, or the step for other content. */
const recordAt = (bytes: Uint8Array, at: number, end: number, big: boolean): number | Step => {
  const length = headerAt(bytes, at, end, big)
  if (typeof length !== "number") return length
  if (half(bytes, at + field.csiBytes, big) === 0) return skip(length)
  return end - at < length ? needMore : length
}

const half = (bytes: Uint8Array, at: number, big: boolean): number =>
  big ? (bytes[at]! << 8) | bytes[at + 1]! : u16(bytes, at)

/** Reads Atheros captures. `sequences` counts packets as `StationCounter` does. */
export class AtherosReader implements RecordReader {
  readonly recordBytesMax = chainBytesMax
  readonly hardware = "Atheros ath9k"
  readonly #clock = new DeviceClock()
  readonly #names = new MacNames()
  readonly #counter = new StationCounter()
  /** Whether headers are big-endian; null before the first record with CSI. */
  #big: boolean | null = null
  #layout: RadioLayout | null = null
  #csi = new Int16Array(0)

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const length = recordAt(bytes, at, end, this.#big ?? false)
    if (typeof length === "number") return this.#read(bytes, at, length, this.#big ?? false, add)
    if (length !== lost || this.#big === true) return length
    const marked = bytes[at] === bigEndianMark ? recordAt(bytes, at + markBytes, end, true) : lost
    if (marked === needMore) return needMore
    if (marked !== lost) {
      this.#big = true
      return head(markBytes)
    }
    return this.#big === null ? this.#takeUnmarked(bytes, at, end, add) : lost
  }

  /** Reads a record of big-endian headers that begins a chain of them. */
  #takeUnmarked(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const chain = chainAt(at, (start) => headerAt(bytes, start, end, true))
    if (typeof chain !== "number") return chain
    const length = recordAt(bytes, at, end, true)
    return typeof length === "number" ? this.#read(bytes, at, length, true, add) : length
  }

  #read(bytes: Uint8Array, at: number, length: number, big: boolean, add: (frame: CsiFrame) => void): Step {
    this.#big = big
    const receive = bytes[at + field.receive]!
    const transmit = bytes[at + field.transmit]!
    const tones = bytes[at + field.tones]!
    const layout = this.#layoutOf(receive, transmit, tones, half(bytes, at + field.channelMHz, big) * 1e6)
    readAth9kReport(bytes, at + csiAt, tones, receive, transmit, this.#csi)
    const sender = senderOf(bytes, at + csiAt + half(bytes, at + field.csiBytes, big), at + length, this.#names)
    const noiseDbm = bytes[at + field.noise]! << 24 >> 24
    const rssi = bytes[at + field.rssi]!
    add({
      layout,
      timestampUs: this.#clock.at(clockReading(bytes, at + field.clock, big)),
      sequence: this.#counter.at(sender.transmitterId, sender.trafficClass, sender.sequenceControl),
      rssiDbm: rssi === rssiUnknown ? 0 : wholeDbm((noiseDbm < 0 ? noiseDbm : defaultNoiseDbm) + rssi),
      noiseFloorDbm: Math.min(noiseDbm, 0),
      transmitterId: sender.transmitterId,
      csi: this.#csi,
    })
    return frame(length, null)
  }

  #layoutOf(receive: number, transmit: number, tones: number, centerFrequencyHz: number): RadioLayout {
    const last = this.#layout
    const same = last !== null && receive === last.receiveAntennas && transmit === last.transmitAntennas &&
      tones === last.subcarrierIndices.length && centerFrequencyHz === last.centerFrequencyHz
    if (same) return last
    const { megahertz, subcarrierIndices } = ath9kTones.get(tones)!
    this.#csi = new Int16Array(2 * tones * receive * transmit)
    this.#layout = {
      format: "atheros",
      receiveAntennas: receive,
      transmitAntennas: transmit,
      subcarrierIndices,
      subcarrierSpacingHz: subcarrierSpacing11nHz,
      centerFrequencyHz,
      bandwidthHz: megahertz * 1e6,
    }
    return this.#layout
  }
}

/** The lower 32 bits of the clock in microseconds. Some hardware counts no more. */
const clockReading = (bytes: Uint8Array, at: number, big: boolean): number =>
  big ? half(bytes, at + 4, true) * 0x10000 + half(bytes, at + 6, true) : u32(bytes, at)
