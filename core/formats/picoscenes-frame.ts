/**
 * The frame of PicoScenes: named segments, then the packet itself (RXS-Parsing-Core, `ModularPicoScenesFrame.cxx`).
 *
 * Owns the positions of a frame and its parts. A long frame is accepted only if its segments agree with its length, because a wrong
 * length would skip the frames after it.
 */
import { u16, u32 } from "./little-endian.ts"
import { lost, needMore, type Refusal, type Step } from "./record-stream.ts"

const magic = 0x20150315
/** Length, magic word, version and number of segments. */
const prefixBytes = 11
const versionAt = 8
const segmentCountAt = 10
const lengthBytes = 4
/** First version with the number of packets of a frame, and the length of each. */
const aggregateVersion = 2

/** Longest frame: 0.1 s of baseband at 20 MHz, far more than a packet lasts. */
export const frameBytesMax = 16 * 2 ** 20
/** Frames beyond this have baseband signals. */
const shortFrameBytesMax = 65_536
/** Maximum bytes of the packets after the segments, which can be aggregates (IEEE 802.11ax-2021, 27.2.2). */
const packetBytesMax = 65_536
const aggregateBytesMax = 6_500_631

/** A segment's content: `bytes[at..end)`. */
export interface Segment {
  readonly version: number
  readonly at: number
  readonly end: number
}

/** The used segments of a frame, and the start of its first packet. */
export interface Frame {
  readonly csi: Segment | null
  readonly basic: Segment | null
  readonly firmware: Segment | null
  readonly packetAt: number
}

/** Length of the frame at `at`, bytes, or the step for other content. */
export const frameAt = (bytes: Uint8Array, at: number, end: number): number | Step => {
  if (end - at < prefixBytes) return needMore
  const length = u32(bytes, at) + lengthBytes
  if (u32(bytes, at + lengthBytes) !== magic || length < prefixBytes || length > frameBytesMax) return lost
  if (length > shortFrameBytesMax) {
    const packetAt = packetOf(bytes, at, end, at + length)
    if (typeof packetAt !== "number") return packetAt
  }
  return end - at < length ? needMore : length
}

/** Whether a capture begins with a frame, which may be longer than the available bytes. */
export const looksLikePicoScenes = (head: Uint8Array): boolean =>
  head.length >= prefixBytes && frameAt(head, 0, head.length) !== lost

const segmentsAt = (bytes: Uint8Array, at: number): number =>
  at + prefixBytes + (u16(bytes, at + versionAt) < aggregateVersion ? 0 : 2)

/** Start of the packets of the frame `bytes[at..frameEnd)`, of which `bytes[at..end)` is available. */
const packetOf = (bytes: Uint8Array, at: number, end: number, frameEnd: number): number | Step => {
  let next = segmentsAt(bytes, at)
  for (let i = bytes[at + segmentCountAt]!; i > 0; i--) {
    if (next + lengthBytes > end) return next + lengthBytes > frameEnd ? lost : needMore
    next += lengthBytes + u32(bytes, next)
    if (next > frameEnd) return lost
  }
  const packetsMax = u16(bytes, at + versionAt) < aggregateVersion ? packetBytesMax : aggregateBytesMax
  return frameEnd - next > packetsMax ? lost : next
}

const refusal = (message: string): Refusal => ({ reason: "bad-field", message })

/** The parts of the whole frame `bytes[at..frameEnd)`. */
export const partsOf = (bytes: Uint8Array, at: number, frameEnd: number): Frame | Refusal => {
  const version = u16(bytes, at + versionAt)
  if (version < 1 || version > aggregateVersion) {
    return { reason: "unsupported-layout", message: `version ${version} of the frame is unknown` }
  }
  const found: { csi: Segment | null; basic: Segment | null; firmware: Segment | null } = {
    csi: null,
    basic: null,
    firmware: null,
  }
  let next = segmentsAt(bytes, at)
  for (let i = bytes[at + segmentCountAt]!; i > 0; i--) {
    if (next + lengthBytes + 1 > frameEnd) return refusal("the frame ends before its last segment")
    const end = next + lengthBytes + u32(bytes, next)
    const nameAt = next + lengthBytes + 1
    const nameBytes = bytes[nameAt - 1]!
    const contentAt = nameAt + nameBytes + 2
    if (contentAt > end || end > frameEnd) return refusal("a segment exceeds its frame")
    const segment: Segment = { version: u16(bytes, contentAt - 2), at: contentAt, end }
    if (isNamed(bytes, nameAt, nameBytes, "CSI")) found.csi ??= segment
    else if (isNamed(bytes, nameAt, nameBytes, "RxSBasic")) found.basic ??= segment
    else if (isNamed(bytes, nameAt, nameBytes, "MVMExtra")) found.firmware ??= segment
    next = end
  }
  return { ...found, packetAt: Math.min(next + (version < aggregateVersion ? 0 : lengthBytes), frameEnd) }
}

/** Whether a segment has this name; a zero may end it. */
const isNamed = (bytes: Uint8Array, at: number, length: number, name: string): boolean => {
  if (length !== name.length && !(length === name.length + 1 && bytes[at + name.length] === 0)) return false
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false
  return true
}
