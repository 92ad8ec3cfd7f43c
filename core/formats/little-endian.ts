/** Little-endian integers at any position of a byte array, without a view for every record. */

export const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8)

export const i16 = (bytes: Uint8Array, at: number): number => u16(bytes, at) << 16 >> 16

export const i8 = (bytes: Uint8Array, at: number): number => bytes[at]! << 24 >> 24

export const u32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0

/** Exact below 2^53, rounded to a double above. */
export const u64 = (bytes: Uint8Array, at: number): number => u32(bytes, at) + u32(bytes, at + 4) * 2 ** 32
