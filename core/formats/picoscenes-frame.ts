/**
 * The frame of PicoScenes: named segments, then the packet itself (RXS-Parsing-Core, `ModularPicoScenesFrame.cxx`).
 *
 * Owns where a frame and its parts are. A long frame is believed only when its segments agree with its length: a wrong length
 * would take the frames after it along.
 */
import { u16, u32 } from "./little-endian.ts"
import { lost, needMore, type Refusal, type Step } from "./record-stream.ts"

const magic = 0x20150315
/** Length, magic word, version and number of segments. */
const prefixBytes = 11
const versionAt = 8
const segmentCountAt = 10
const lengthBytes = 4
/** Since this version a frame says how many packets it has, each with its length. */
const aggregateVersion = 2

/** Longest frame: 0.1 s of baseband at 20 MHz, far more than a packet lasts. */
export const frameBytesMax = 16 * 2 ** 20
/** Frames beyond this have baseband signals. */
const shortFrameBytesMax = 65_536
/** Bytes of the packet behind the segments; of several since they can be aggregates (IEEE 802.11ax-2021, 27.2.2). */
const packetBytesMax = 65_536
const aggregateBytesMax = 6_500_631

/** A segment's content: `bytes[at..end)`. */
export interface Segment {
  readonly version: number
  readonly at: number
  readonly end: number
}

/** The segments of a frame that are used, and where its first packet begins. */
export interface Frame {
  readonly csi: Segment | null
  readonly basic: Segment | null
  readonly firmware: Segment | null
  readonly packetAt: number
}

/** Bytes of the whole frame at `at`, or what stands there instead. */
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

/** Whether a capture begins with a frame; the first may be longer than what is at hand. */
export const looksLikePicoScenes = (head: Uint8Array): boolean =>
  head.length >= prefixBytes && frameAt(head, 0, head.length) !== lost

const segmentsAt = (bytes: Uint8Array, at: number): number =>
  at + prefixBytes + (u16(bytes, at + versionAt) < aggregateVersion ? 0 : 2)

/** Where the packets of the frame `bytes[at..frameEnd)` begin, of which `bytes[at..end)` is at hand. */
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
    return { reason: "unsupported-layout", message: `version ${version} of the frame is not known` }
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
    if (contentAt > end || end > frameEnd) return refusal("a segment reaches past its frame")
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
