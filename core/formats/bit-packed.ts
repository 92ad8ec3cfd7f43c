/**
 * Bit-packed CSI: values that are not aligned to bytes, as Intel 5300 and Atheros ath9k hardware writes them.
 *
 * The values of a tone are adjacent, one per stream (pair of antennas), and fill bytes from their lowest bit. `rows[j]` is the
 * row of stream j in `out`, which is interleaved complex (re, im) [row][tone]. No byte after the packed ones is read.
 */

/** The three bytes from `at`, the lowest first. */
const threeBytes = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)

/** Bytes of `tones` tones with 3 bits to skip and 16 bits per stream. */
export const int8Skip3Bytes = (tones: number, streams: number): number => Math.ceil((tones * (16 * streams + 3)) / 8)

/** Unpacks from `start`: per tone 3 bits to skip, then an int8 real and imaginary part per stream. */
export const unpackInt8Skip3 = (
  bytes: Uint8Array,
  start: number,
  tones: number,
  rows: ArrayLike<number>,
  out: Int8Array,
): void => {
  const streams = rows.length
  const toneBits = 16 * streams + 3
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, int8Skip3Bytes(tones, streams))
  for (let j = 0; j < streams; j++) {
    let to = 2 * tones * rows[j]!
    let bit = 3 + 16 * j
    // A word of four bytes has the value and two more bytes, so the last tone is read without it.
    for (let tone = 1; tone < tones; tone++, bit += toneBits, to += 2) {
      const word = view.getInt32(bit >> 3, true) >> (bit & 7)
      out[to] = word << 24 >> 24
      out[to + 1] = word << 16 >> 24
    }
    const word = threeBytes(bytes, start + (bit >> 3)) >> (bit & 7)
    out[to] = word << 24 >> 24
    out[to + 1] = word << 16 >> 24
  }
}

/** Bytes of `values` complex values of 20 bits. */
export const int10Bytes = (values: number): number => Math.ceil((values * 20) / 8)

/** Unpacks from `start`: per tone an int10 imaginary and real part per stream, in this order. */
export const unpackInt10 = (
  bytes: Uint8Array,
  start: number,
  tones: number,
  rows: ArrayLike<number>,
  out: Int16Array,
): void => {
  const streams = rows.length
  const toneBits = 20 * streams
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, int10Bytes(tones * streams))
  for (let j = 0; j < streams; j++) {
    let to = 2 * tones * rows[j]!
    let bit = 20 * j
    // A word of four bytes has the value and one more byte, so the last tone is read without it.
    for (let tone = 1; tone < tones; tone++, bit += toneBits, to += 2) {
      const word = view.getInt32(bit >> 3, true) >> (bit & 7)
      out[to] = word << 12 >> 22
      out[to + 1] = word << 22 >> 22
    }
    const word = threeBytes(bytes, start + (bit >> 3)) >> (bit & 7)
    out[to] = word << 12 >> 22
    out[to + 1] = word << 22 >> 22
  }
}
