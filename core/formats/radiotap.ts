/** Radiotap headers (radiotap.org), which a receiver in monitor mode adds before a frame. */
import { i8, u16, u32 } from "./little-endian.ts"

export interface RadiotapHeader {
  /** Start of the 802.11 frame. */
  readonly frameAt: number
  /** Bytes of the checksum at the frame's end. */
  readonly checksumBytes: number
  readonly isDamaged: boolean
  /** Received signal strength and noise floor; 0 if unknown. */
  readonly rssiDbm: number
  readonly noiseFloorDbm: number
  /** Centre of the primary 20 MHz channel; 0 if unknown. */
  readonly channelHz: number
}

const headerBytesMin = 8
const more = 31

/** Fields in the order of their bits, up to the last that is read. Each begins at a multiple of its alignment. */
const fields = [
  { name: "time", bytes: 8, alignment: 8 },
  { name: "flags", bytes: 1, alignment: 1 },
  { name: "rate", bytes: 1, alignment: 1 },
  { name: "channel", bytes: 4, alignment: 2 },
  { name: "hopping", bytes: 2, alignment: 1 },
  { name: "signal", bytes: 1, alignment: 1 },
  { name: "noise", bytes: 1, alignment: 1 },
] as const

const flagChecksum = 0x10
const flagDamaged = 0x40

/** Start of the frame after the header at `at`, or null if no header ends by `end`. */
export const radiotapFrameAt = (bytes: Uint8Array, at: number, end: number): number | null => {
  if (end - at < headerBytesMin || bytes[at] !== 0) return null
  const length = u16(bytes, at + 2)
  return length >= headerBytesMin && at + length <= end ? at + length : null
}

/** Reads the header at `at`; null if no header ends by `end`. Fields after its end are unknown. */
export const readRadiotap = (bytes: Uint8Array, at: number, end: number): RadiotapHeader | null => {
  const frameAt = radiotapFrameAt(bytes, at, end)
  if (frameAt === null) return null
  const present = u32(bytes, at + 4)
  let position = at + headerBytesMin
  for (let word = present; (word >>> more) === 1 && position + 4 <= frameAt; position += 4) word = u32(bytes, position)
  const found = new Map<string, number>()
  for (const [bit, { alignment, bytes: width, name }] of fields.entries()) {
    if ((present >> bit & 1) === 0) continue
    position += (alignment - (position - at) % alignment) % alignment
    if (position + width > frameAt) break
    found.set(name, position)
    position += width
  }
  const flags = bytes[found.get("flags") ?? -1] ?? 0
  const valueAt = (name: string, read: (at: number) => number): number => {
    const place = found.get(name)
    return place === undefined ? 0 : read(place)
  }
  return {
    frameAt,
    checksumBytes: (flags & flagChecksum) === 0 ? 0 : 4,
    isDamaged: (flags & flagDamaged) !== 0,
    rssiDbm: valueAt("signal", (place) => i8(bytes, place)),
    noiseFloorDbm: valueAt("noise", (place) => i8(bytes, place)),
    channelHz: valueAt("channel", (place) => u16(bytes, place) * 1e6),
  }
}
