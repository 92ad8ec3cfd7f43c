/**
 * Zip archives: finds the entries of an archive in memory and unpacks one.
 *
 * Owns the container (PKWARE APPNOTE 6.3): entries stored or deflated, each at most 4 GiB. Boundary: the caller interprets an
 * entry. All sizes of an archive are checked before memory is allocated: an entry needs at most the bytes that
 * the caller allows.
 */
import { crc32 } from "./crc32.ts"
import { inflated, unpackRefusal } from "./inflated.ts"
import { u16, u32 } from "./little-endian.ts"
import type { Refusal } from "./record-stream.ts"

/** An entry of an archive, from its directory. */
export interface ZipEntry {
  readonly name: string
  /** Start of its packed bytes in the archive. */
  readonly offset: number
  readonly packedBytes: number
  readonly bytes: number
  readonly deflated: boolean
  readonly checksum: number
}

export const zipLocalMagic = 0x04034b50
const directoryMagic = 0x02014b50
const endMagic = 0x06054b50
const localHeaderBytes = 30
const directoryHeaderBytes = 46
const endBytes = 22
const commentBytesMax = 65_535
const stored = 0
const deflated = 8
const encryptedFlag = 1

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** The entries of an archive, or why they cannot be read. An entry with invalid fields in the directory is a refusal. */
export const readZip = (bytes: Uint8Array): ReadonlyArray<ZipEntry> | Refusal => {
  const end = findEnd(bytes)
  if (end === null) return { reason: "truncated", message: "the archive is truncated: it has no end record" }
  const count = u16(bytes, end + 10)
  const entries: Array<ZipEntry> = []
  const names = new TextDecoder()
  let at = u32(bytes, end + 16)
  for (let i = 0; i < count; i++) {
    if (at + directoryHeaderBytes > end || u32(bytes, at) !== directoryMagic) {
      return bad("the archive's directory is damaged")
    }
    const nameBytes = u16(bytes, at + 28)
    const next = at + directoryHeaderBytes + nameBytes + u16(bytes, at + 30) + u16(bytes, at + 32)
    if (next > end) return bad("the archive's directory is damaged")
    const name = names.decode(bytes.subarray(at + directoryHeaderBytes, at + directoryHeaderBytes + nameBytes))
    const entry = entryOf(bytes, at, end, name)
    if ("reason" in entry) return entry
    entries.push(entry)
    at = next
  }
  return entries
}

/** Start of the end record of an archive. A comment may follow it. */
const findEnd = (bytes: Uint8Array): number | null => {
  const first = Math.max(0, bytes.length - endBytes - commentBytesMax)
  for (let at = bytes.length - endBytes; at >= first; at--) {
    if (u32(bytes, at) === endMagic && at + endBytes + u16(bytes, at + 20) === bytes.length) return at
  }
  return null
}

/** The entry of the directory's record at `at`. All entries are before `end`. */
const entryOf = (bytes: Uint8Array, at: number, end: number, name: string): ZipEntry | Refusal => {
  const method = u16(bytes, at + 10)
  const packedBytes = u32(bytes, at + 20)
  const local = u32(bytes, at + 42)
  if ((u16(bytes, at + 8) & encryptedFlag) !== 0) return bad(`"${name}" is encrypted`)
  if (method !== stored && method !== deflated) {
    return bad(`"${name}" has compression method ${method}, but only stored and deflated entries are supported`)
  }
  if (local + localHeaderBytes > end || u32(bytes, local) !== zipLocalMagic) {
    return bad(`"${name}" is not at its position`)
  }
  const offset = local + localHeaderBytes + u16(bytes, local + 26) + u16(bytes, local + 28)
  if (offset + packedBytes > end) return bad(`"${name}" exceeds the archive`)
  return {
    name,
    offset,
    packedBytes,
    bytes: u32(bytes, at + 24),
    deflated: method === deflated,
    checksum: u32(bytes, at + 16),
  }
}

/** The bytes of an entry, at most `bytesMax`. For a stored entry they are a view of the archive. */
export const unpackEntry = (archive: Uint8Array, entry: ZipEntry, bytesMax: number): Uint8Array | Refusal => {
  const { bytes, name, packedBytes } = entry
  if (bytes > bytesMax) return { reason: "too-long", message: `"${name}" has ${bytes} bytes, more than ${bytesMax}` }
  const refusal = entry.deflated
    ? unpackRefusal(name, packedBytes, bytes, "write the archive without compression (numpy.savez)")
    : null
  if (refusal !== null) return refusal
  const packed = archive.subarray(entry.offset, entry.offset + entry.packedBytes)
  const unpacked = entry.deflated ? inflated(packed, bytes) : packed
  if (unpacked === null || unpacked.length !== bytes) {
    return bad(`"${name}" does not unpack to its announced ${bytes} bytes`)
  }
  if (crc32(unpacked) !== entry.checksum) return { reason: "bad-value", message: `the checksum of "${name}" is wrong` }
  return unpacked
}
