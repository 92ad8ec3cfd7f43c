/**
 * Signed datagrams: any vendor's datagram with a trailer that names its key, epoch and sequence.
 *
 * Owns the trailer's bytes. Boundary: pure. `gateways/datagrams` signs and verifies, `replay-window.ts` detects replays.
 *
 * The trailer is the last 32 bytes, little-endian like the datagrams of ESP32 nodes. A reader that starts at the beginning of the
 * datagram is not affected:
 *
 * | bytes | |
 * |---|---|
 * | 0-3 | `WPS1` in ASCII |
 * | 4-7 | number of the key |
 * | 8-11 | epoch: greater after every restart of the sender. A count of starts in flash memory, or Unix seconds |
 * | 12-15 | sequence: greater with every datagram of the epoch. Before it passes 2^32 the sender begins an epoch |
 * | 16-31 | the first 16 bytes of HMAC-SHA-256 over the datagram and bytes 0-15 of the trailer |
 *
 * A signature of 128 bits is what RFC 4868 truncates HMAC-SHA-256 to.
 */

export const trailerBytes = 32
export const signatureBytes = 16
/** Bytes of a key. */
export const keyBytes = 32
/** Bytes of the trailer that the signature covers. */
const stampBytes = trailerBytes - signatureBytes
const magic = 0x31535057

/** The key of a datagram, and its position in the order of that key's datagrams. */
interface Stamp {
  readonly keyNumber: number
  readonly epoch: number
  readonly sequence: number
}

export interface SignedDatagram extends Stamp {
  /** The vendor's datagram, as a view. */
  readonly datagram: Uint8Array
  /** The signed bytes: the datagram and the stamp, as a view. */
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Parses a signed datagram; null without a trailer. Does not verify the signature. */
export const readSigned = (bytes: Uint8Array): SignedDatagram | null => {
  const at = bytes.length - trailerBytes
  if (at < 0) return null
  const view = viewOf(bytes)
  if (view.getUint32(at, true) !== magic) return null
  return {
    datagram: bytes.subarray(0, at),
    keyNumber: view.getUint32(at + 4, true),
    epoch: view.getUint32(at + 8, true),
    sequence: view.getUint32(at + 12, true),
    signedPart: bytes.subarray(0, at + stampBytes),
    signature: bytes.subarray(at + stampBytes),
  }
}

/** A datagram with its trailer. `sign` returns the HMAC-SHA-256 of its argument, which is truncated. */
export const writeSigned = (
  datagram: Uint8Array,
  { epoch, keyNumber, sequence }: Stamp,
  sign: (signedPart: Uint8Array) => Uint8Array,
): Uint8Array => {
  const at = datagram.length
  const bytes = new Uint8Array(at + trailerBytes)
  bytes.set(datagram)
  const view = viewOf(bytes)
  view.setUint32(at, magic, true)
  view.setUint32(at + 4, keyNumber, true)
  view.setUint32(at + 8, epoch, true)
  view.setUint32(at + 12, sequence, true)
  bytes.set(sign(bytes.subarray(0, at + stampBytes)).subarray(0, signatureBytes), at + stampBytes)
  return bytes
}

const keyPattern = /^wpk-([0-9]{1,10})-([0-9a-f]{64})$/

/** A key and its number as the text that operators see: `wpk-7-` and 64 hexadecimal digits. */
export const keyText = (keyNumber: number, key: Uint8Array): string =>
  `wpk-${keyNumber}-${Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** Parses a key's text; null if invalid. */
export const readKeyText = (text: string): { readonly keyNumber: number; readonly key: Uint8Array } | null => {
  const match = keyPattern.exec(text.trim())
  if (match === null || Number(match[1]) > 0xffffffff) return null
  return { keyNumber: Number(match[1]), key: Uint8Array.from(match[2]!.match(/../g)!, (pair) => parseInt(pair, 16)) }
}
