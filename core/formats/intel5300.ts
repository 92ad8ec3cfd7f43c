/**
 * Intel 5300 captures of the Linux 802.11n CSI Tool (`.dat`).
 *
 * Owns the record format, the bit-packed values and the antenna order. Boundary: one beamforming record (0xBB) is one
 * CSI frame; payload records (0xC1) are passed over. The capture does not say who sent: the transmitter is "ap".
 *
 * A record that is not plausible loses the boundary of the next one, because only its length says where that begins.
 * The decoder then searches byte by byte for the next beamforming header whose lengths agree, and reports the gap.
 */
import { BatchBuilder, type StreamIdentity, unknownTransmitterId } from "./batch-builder.ts"
import type { CsiBatch, RadioLayout } from "./csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog } from "./decoder.ts"
import { DeviceClock, SequenceCounter } from "./device-clock.ts"
import { subcarrierSpacing11nHz } from "./wifi-channel.ts"

const beamformingCode = 0xbb
const payloadCode = 0xc1
/** Length and code. */
const prefixBytes = 3
const headerBytes = 20
const tones = 30
const antennasMax = 3
const noiseUnknownDbm = -127
const rate40MHz = 0x800

/** Bytes of the packed values: per subcarrier 3 bits to skip and 16 bits a value. */
const packedBytes = (streams: number): number => Math.ceil(tones * (streams * 16 + 3) / 8)

const recordBytesMax = prefixBytes + headerBytes + packedBytes(antennasMax * antennasMax)

const ascending = (first: number, step: number, count: number): Array<number> =>
  Array.from({ length: count }, (_, i) => first + step * i)

/** Subcarriers reported with grouping 2 (20 MHz) and 4 (40 MHz), IEEE 802.11-2020 table 9-72. */
const subcarriers20MHz = Int16Array.from([...ascending(-28, 2, 14), -1, ...ascending(1, 2, 14), 28])
const subcarriers40MHz = Int16Array.from([...ascending(-58, 4, 15), ...ascending(2, 4, 15)])

/** What one beamforming header says. `permutation[r]` is the antenna (0 to 2) that receive chain r was connected to. */
interface Header {
  readonly timestamp: number
  readonly count: number
  readonly receive: number
  readonly transmit: number
  readonly rssi: ReadonlyArray<number>
  readonly noiseDbm: number
  readonly agc: number
  readonly permutation: ReadonlyArray<number>
  readonly rate: number
}

type Step =
  | { readonly kind: "need-more" }
  | { readonly kind: "lost" }
  | { readonly kind: "skip"; readonly bytes: number }
  | { readonly kind: "frame"; readonly bytes: number }

const needMore: Step = { kind: "need-more" }
const lost: Step = { kind: "lost" }

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
  if (receive < 1 || receive > antennasMax || transmit < 1 || transmit > antennasMax) return lost
  if (packed !== packedBytes(receive * transmit) || length !== 1 + headerBytes + packed) return lost
  return end - at < length + 2 ? needMore : { kind: "frame", bytes: length + 2 }
}

/** Whether these first bytes of a capture are records, with one of CSI among them. */
export const looksLikeIntel5300 = (head: Uint8Array): boolean => {
  let at = 0
  let step = stepAt(head, at, head.length)
  while (step.kind === "skip") {
    at += step.bytes
    step = stepAt(head, Math.min(at, head.length), head.length)
  }
  return step.kind === "frame"
}

/** Streaming decoder of Intel 5300 captures. `sequences` is the tool's bfee counter with its 16-bit wraps undone. */
export class Intel5300Decoder implements CaptureDecoder {
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  readonly #clock = new DeviceClock()
  readonly #counter = new SequenceCounter()
  #batches: Array<CsiBatch> = []
  readonly #carry = new Uint8Array(2 * recordBytesMax)
  #carried = 0
  /** Offset in the capture of the first byte not yet consumed. */
  #offset = 0
  /** Bytes of a record that is passed over which have yet to come. */
  #toSkip = 0
  /** Offset of the record that is passed over. */
  #skippedFrom = 0
  /** Where the boundary of the records was lost; null when it is known. */
  #lostAt: number | null = null

  constructor(identity: StreamIdentity) {
    this.#builder = new BatchBuilder(identity)
  }

  push(bytes: Uint8Array): DecodeResult {
    let position = 0
    while (this.#carried > 0 && position < bytes.length) {
      const room = Math.min(this.#carry.length - this.#carried, bytes.length - position)
      this.#carry.set(bytes.subarray(position, position + room), this.#carried)
      const before = this.#carried
      const used = this.#consume(this.#carry, before + room)
      if (used >= before) {
        this.#carried = 0
        position += used - before
      } else {
        this.#carry.copyWithin(0, used, before + room)
        this.#carried = before + room - used
        position += room
      }
    }
    if (this.#carried === 0) {
      const rest = bytes.subarray(position)
      const used = this.#consume(rest, rest.length)
      this.#carry.set(rest.subarray(used))
      this.#carried = rest.length - used
    }
    return this.#result()
  }

  end(): DecodeResult {
    if (this.#lostAt !== null) this.#reportGap(this.#offset + this.#carried)
    else if (this.#carried > 0 || this.#toSkip > 0) {
      this.#faults.add(
        this.#toSkip > 0 ? this.#skippedFrom : this.#offset,
        "truncated",
        "the capture ends within a record",
      )
    }
    this.#carried = 0
    this.#toSkip = 0
    return this.#result()
  }

  /** Decodes what is whole in `bytes[0..end)`; returns how many bytes are done with. */
  #consume(bytes: Uint8Array, end: number): number {
    let at = Math.min(this.#toSkip, end)
    this.#toSkip -= at
    this.#offset += at
    while (at < end) {
      const step = stepAt(bytes, at, end)
      if (step.kind === "need-more") break
      let used = 1
      if (step.kind === "lost" || (step.kind === "skip" && this.#lostAt !== null)) this.#lostAt ??= this.#offset
      else {
        if (this.#lostAt !== null) this.#reportGap(this.#offset)
        if (step.kind === "frame") this.#frame(bytes, at)
        used = Math.min(step.bytes, end - at)
        this.#toSkip = step.bytes - used
        this.#skippedFrom = this.#offset
      }
      at += used
      this.#offset += used
    }
    return at
  }

  #reportGap(until: number): void {
    const from = this.#lostAt!
    this.#lostAt = null
    this.#faults.add(from, "not-a-record", `${until - from} bytes are no record of this format`)
  }

  #frame(bytes: Uint8Array, at: number): void {
    const header = readHeader(bytes, at)
    const ended = this.#builder.add({
      layout: layoutOf(header),
      timestampUs: this.#clock.at(header.timestamp),
      sequence: this.#counter.at(header.count),
      rssiDbm: totalRssiDbm(header),
      noiseFloorDbm: header.noiseDbm === noiseUnknownDbm ? 0 : header.noiseDbm,
      transmitterId: unknownTransmitterId,
      csi: readCsi(bytes, at + prefixBytes + headerBytes, header),
    })
    if (ended !== null) this.#batches.push(ended)
  }

  #result(): DecodeResult {
    const last = this.#builder.flush()
    if (last !== null) this.#batches.push(last)
    const batches = this.#batches
    this.#batches = []
    return { batches, ...this.#faults.take() }
  }
}

const readHeader = (bytes: Uint8Array, at: number): Header => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + prefixBytes, headerBytes)
  const selection = view.getUint8(15)
  return {
    timestamp: view.getUint32(0, true),
    count: view.getUint16(4, true),
    receive: view.getUint8(8),
    transmit: view.getUint8(9),
    rssi: [view.getUint8(10), view.getUint8(11), view.getUint8(12)],
    noiseDbm: view.getInt8(13),
    agc: view.getUint8(14),
    permutation: [selection & 3, (selection >> 2) & 3, (selection >> 4) & 3],
    rate: view.getUint16(18, true),
  }
}

const layoutOf = (header: Header): RadioLayout => {
  const wide = (header.rate & rate40MHz) !== 0
  return {
    format: "intel5300",
    receiveAntennas: header.receive,
    transmitAntennas: header.transmit,
    subcarrierIndices: wide ? subcarriers40MHz : subcarriers20MHz,
    subcarrierSpacingHz: subcarrierSpacing11nHz,
    centerFrequencyHz: 0,
    bandwidthHz: wide ? 40e6 : 20e6,
  }
}

/** Received power over the antennas: the device reports each in dB above -44 dBm - AGC; 0 when it reports none. */
const totalRssiDbm = (header: Header): number => {
  let powerMw = 0
  for (const rssi of header.rssi) if (rssi > 0) powerMw += 10 ** (rssi / 10)
  return powerMw === 0 ? 0 : Math.max(-128, Math.min(127, Math.round(10 * Math.log10(powerMw) - 44 - header.agc)))
}

/** Row of each receive chain: its antenna, where the selection names each antenna of the frame once. */
const rowsOf = (header: Header): ReadonlyArray<number> => {
  const used = header.permutation.slice(0, header.receive)
  const complete = used.every((antenna) => antenna < header.receive) && new Set(used).size === header.receive
  return complete ? used : used.map((_, chain) => chain)
}

/** Unpacks to interleaved [rx][tx][subcarrier]. */
const readCsi = (bytes: Uint8Array, start: number, header: Header): Float32Array => {
  const { receive, transmit } = header
  const rows = rowsOf(header)
  const csi = new Float32Array(receive * transmit * tones * 2)
  let bit = 0
  const int8 = (): number => {
    const byte = start + (bit >> 3)
    const shift = bit & 7
    bit += 8
    const value = shift === 0 ? bytes[byte]! : ((bytes[byte]! >> shift) | (bytes[byte + 1]! << (8 - shift))) & 0xff
    return value << 24 >> 24
  }
  for (let tone = 0; tone < tones; tone++) {
    bit += 3
    for (let j = 0; j < receive * transmit; j++) {
      const row = rows[Math.floor(j / transmit)]!
      const to = 2 * ((row * transmit + j % transmit) * tones + tone)
      csi[to] = int8()
      csi[to + 1] = int8()
    }
  }
  return csi
}
