/**
 * Unpacking of compressed parts of files, with bounds that hold before memory is allocated.
 *
 * Owns what a part may unpack to, and all parts of a file together. Boundary: the container states the packed bytes and their unpacked length.
 */
import { Inflate } from "fflate"
import type { Refusal } from "./record-stream.ts"
import { fileBytesMax } from "./whole-file.ts"

/** What a part of more than `smallBytes` may unpack to, in packed sizes: measured CSI has noise, and compresses less. */
const packedSizesMax = 100
const smallBytes = 2 ** 24
/** Packed bytes that are inflated at a time, so that a part that exceeds its size is detected early. */
const pieceBytes = 4096

/** Why a part that unpacks to `bytes` bytes is not unpacked; null if it may be. `advice` says how to write it. */
export const unpackRefusal = (name: string, packedBytes: number, bytes: number, advice: string): Refusal | null => {
  if (bytes <= Math.max(smallBytes, packedSizesMax * packedBytes)) return null
  const message =
    `"${name}" unpacks from ${packedBytes} to ${bytes} bytes, more than ${packedSizesMax} times its size, which ` +
    `measured CSI does not. If the content is right, ${advice}`
  return { reason: "too-long", message }
}

/** What the arrays of a file unpack to, all together. */
export class UnpackBudget {
  #bytes = 0

  /** Takes the size of an array. Returns why it is not unpacked; null if it may be. */
  take(name: string, bytes: number): Refusal | null {
    this.#bytes += bytes
    if (this.#bytes <= fileBytesMax) return null
    const message =
      `the arrays up to "${name}" unpack to ${this.#bytes} bytes, more than ${fileBytesMax}, which are held in memory. ` +
      "Split the recording into several files"
    return { reason: "too-long", message }
  }
}

/** Inflates the first `bytes` bytes; fewer if the content ends before, null if it is damaged. `isWhole` is false if more follow. */
export const inflateFirst = (
  deflated: Uint8Array,
  bytes: number,
): { readonly unpacked: Uint8Array; readonly isWhole: boolean } | null => {
  const unpacked = new Uint8Array(bytes)
  let filled = 0
  const stream = new Inflate((piece) => {
    if (filled < bytes) unpacked.set(piece.subarray(0, bytes - filled), filled)
    filled += piece.length
  })
  try {
    for (let at = 0; at < deflated.length && filled <= bytes; at += pieceBytes) {
      stream.push(deflated.subarray(at, at + pieceBytes), at + pieceBytes >= deflated.length)
    }
  } catch {
    return null
  }
  return { unpacked: unpacked.subarray(0, Math.min(filled, bytes)), isWhole: filled <= bytes }
}

/** Inflates to exactly `bytes` bytes; null if the length differs. */
export const inflated = (deflated: Uint8Array, bytes: number): Uint8Array | null => {
  const first = inflateFirst(deflated, bytes)
  return first !== null && first.isWhole && first.unpacked.length === bytes ? first.unpacked : null
}

/** A part with the header and checksum of zlib (RFC 1950). */
interface ZlibPart {
  readonly deflated: Uint8Array
  /** Adler-32 of the unpacked bytes. */
  readonly checksum: number
}

/** The content of a zlib part; null if its header is invalid. */
export const zlibPart = (bytes: Uint8Array): ZlibPart | null => {
  const [method = 0, flags = 0] = bytes
  if (bytes.length < 6 || (method & 15) !== 8 || (flags & 0x20) !== 0 || (256 * method + flags) % 31 !== 0) return null
  const end = bytes.length - 4
  const checksum = new DataView(bytes.buffer, bytes.byteOffset + end, 4).getUint32(0)
  return { deflated: bytes.subarray(2, end), checksum }
}

const adlerModulus = 65_521
/** Bytes whose sums need no modulus. */
const adlerBytes = 3800

/** The checksum Adler-32 of bytes. */
export const adler32 = (bytes: Uint8Array): number => {
  let a = 1
  let b = 0
  for (let at = 0; at < bytes.length; at += adlerBytes) {
    const end = Math.min(bytes.length, at + adlerBytes)
    for (let i = at; i < end; i++) {
      a += bytes[i]!
      b += a
    }
    a %= adlerModulus
    b %= adlerModulus
  }
  return b * 65_536 + a
}
