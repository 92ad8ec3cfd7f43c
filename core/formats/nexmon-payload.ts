/**
 * The Nexmon payload: the measurement of one packet at one core and spatial stream of a Broadcom chip.
 *
 * Owns the header in its three layouts and the values. Boundary: `nexmon.ts` joins the payloads of a packet.
 *
 * The header ends with core and stream, channel, and chip. Before them, new firmware has the strength and the frame control; older
 * firmware has neither; a branch of it has 26 more bytes: all three addresses, both fields, and a text. The values follow in the order of the
 * transform, 0..n/2-1, -n/2..-1. They are delivered from -n/2, including guards and centre.
 */
import type { RadioLayout } from "./csi-batch.ts"
import { i16, i8, u16 } from "./little-endian.ts"
import type { MacNames } from "./mac-address.ts"
import { commonExponent, type PackedFloat, packedFloat4358, packedFloat4366c0, unpackFloats } from "./packed-float.ts"
import type { Refusal } from "./record-stream.ts"
import { wholeDbm } from "./signal-strength.ts"
import { channelCenterHz, subcarrierSpacing11nHz } from "./wifi-channel.ts"

interface Chip {
  readonly name: string
  /** Null for pairs of int16. */
  readonly packed: PackedFloat | null
}

const bcm4358: Chip = { name: "BCM4358", packed: packedFloat4358 }

const chips: ReadonlyMap<number, Chip> = new Map([
  [0x0001, { name: "BCM4339", packed: null }],
  [0x0003, bcm4358],
  [0xdead, bcm4358],
  [0x0065, { name: "BCM43455c0", packed: null }],
  [0x006a, { name: "BCM4366c0", packed: packedFloat4366c0 }],
])

/** Number of cores and spatial streams of the largest chip, the 4366c0. */
export const coresMax = 4
export const streamsMax = 4
/** Tones of 160 MHz. */
export const tonesMax = 512
const tonesMin = 64

const magic = 0x1111
const headerBytes = 18
const longHeaderBytes = 44
const valueBytes = 4

export interface NexmonPayload {
  readonly chip: Chip
  readonly chanspec: number
  readonly core: number
  readonly stream: number
  readonly tones: number
  /** Start of the values. */
  readonly valuesAt: number
  readonly transmitterId: string
  /** First byte of the packet's frame control field; null if unknown. */
  readonly frameControl: number | null
  /** The packet's sequence control field; 0 for packets that have none. */
  readonly sequenceControl: number
  /** 0 if unknown. */
  readonly rssiDbm: number
}

/** Whether bytes begin like a payload. */
export const isNexmonPayload = (bytes: Uint8Array): boolean => bytes.length >= 2 && u16(bytes, 0) === magic

/** Reads the header of the payload `bytes[from..to)`. */
export const readNexmonPayload = (
  bytes: Uint8Array,
  from: number,
  to: number,
  names: MacNames,
): NexmonPayload | Refusal => {
  if (to - from < headerBytes) return refuse("truncated", `${to - from} bytes, the header alone has ${headerBytes}`)
  if (u16(bytes, from) !== magic) return refuse("not-a-record", "the first two bytes are not 0x1111")
  const long = tonesOf(to - from - longHeaderBytes) !== null
  const valuesAt = from + (long ? longHeaderBytes : headerBytes)
  const tones = tonesOf(to - valuesAt)
  if (tones === null) {
    return refuse("value-count", `${to - from} bytes do not fit a header with values of 20 to 160 MHz`)
  }
  const antennas = u16(bytes, valuesAt - 6)
  const core = antennas & 7
  const stream = (antennas >> 3) & 7
  const chip = chips.get(u16(bytes, valuesAt - 2))
  if (chip === undefined) {
    return refuse(
      "unsupported-layout",
      `the value format of chip 0x${u16(bytes, valuesAt - 2).toString(16)} is unknown`,
    )
  }
  if (core >= coresMax || stream >= streamsMax) return refuse("bad-field", `core ${core}, stream ${stream}`)
  const silent = u16(bytes, from + 2) === magic
  return {
    chip,
    chanspec: u16(bytes, valuesAt - 4),
    core,
    stream,
    tones,
    valuesAt,
    transmitterId: names.nameAt(bytes, from + (long ? 10 : 4)),
    frameControl: long ? bytes[from + 22]! : silent ? null : bytes[from + 3]!,
    sequenceControl: u16(bytes, from + (long ? 24 : 10)),
    rssiDbm: long ? wholeDbm(i16(bytes, from + 26)) : silent ? 0 : i8(bytes, from + 2),
  }
}

const refuse = (reason: Refusal["reason"], message: string): Refusal => ({ reason, message })

/** Number of tones whose values have this many bytes; null if no bandwidth has it. */
const tonesOf = (bytes: number): number | null => isTransformSize(bytes / valueBytes) ? bytes / valueBytes : null

/** Whether a bandwidth has this number of tones. */
export const isTransformSize = (tones: number): boolean =>
  (tones & (tones - 1)) === 0 && Number.isInteger(tones) && tones >= tonesMin && tones <= tonesMax

/** Reads the tones of a payload to interleaved (re, im) in `out` from `to`, ascending. Uses half a row after them as scratch. */
export const readNexmonTones = (
  { chip, tones, valuesAt }: NexmonPayload,
  bytes: Uint8Array,
  out: Int16Array,
  to: number,
): void => {
  const offset = bytes.byteOffset + valuesAt
  const aligned = offset % valueBytes === 0 || (chip.packed === null && offset % 2 === 0)
  const buffer = aligned ? bytes.buffer : bytes.slice(valuesAt, valuesAt + valueBytes * tones).buffer
  const start = aligned ? offset : 0
  if (chip.packed === null) {
    // One conversion of the whole row and one move of its negative half cost less than two conversions.
    out.set(new Int16Array(buffer, start, 2 * tones), to + tones)
    out.copyWithin(to, to + 2 * tones, to + 3 * tones)
    return
  }
  const words = new Int32Array(buffer, start, tones)
  const exponent = commonExponent(chip.packed, words)
  unpackFloats(chip.packed, words, tones / 2, tones / 2, exponent, out, to)
  unpackFloats(chip.packed, words, 0, tones / 2, exponent, out, to + tones)
}

/** Bandwidth of this number of tones. */
const bandwidthHzOf = (tones: number): number => tones * subcarrierSpacing11nHz

/** The layout of all tones of a bandwidth, guards and centre included. */
export const transformLayout = (
  tones: number,
  { centerFrequencyHz, cores, streams }: {
    readonly centerFrequencyHz: number
    readonly cores: number
    readonly streams: number
  },
): RadioLayout => ({
  format: "nexmon",
  receiveAntennas: cores,
  transmitAntennas: streams,
  subcarrierIndices: Int16Array.from({ length: tones }, (_, i) => i - tones / 2),
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz,
  bandwidthHz: bandwidthHzOf(tones),
})

/** Bandwidth in MHz by bits 11 to 13 of a channel specification. */
const chanspecMegahertz: Readonly<Record<number, number>> = { 2: 20, 3: 40, 4: 80, 5: 160 }
/** Channels by bits 14 and 15: the 2.4 GHz and the 5 GHz band. */
const chanspecChannels: Readonly<Record<number, readonly [first: number, last: number]>> = { 0: [1, 14], 3: [32, 177] }

/**
 * Centre of a Broadcom channel specification, which names the channel in the middle of the bandwidth; 0 if it does not have
 * `tones` tones, so that their centre is unknown.
 */
export const chanspecCenterHz = (chanspec: number, tones: number): number => {
  const channel = chanspec & 0xff
  const channels = chanspecChannels[chanspec >> 14]
  const known = channels !== undefined && channel >= channels[0] && channel <= channels[1]
  const agrees = chanspecMegahertz[(chanspec >> 11) & 7] === bandwidthHzOf(tones) / 1e6
  return known && agrees ? channelCenterHz(channel) : 0
}
