/**
 * Arrays of numbers as files of NumPy and MATLAB have them.
 *
 * Owns the types of numbers, and both byte orders. Typed arrays are little-endian, as on all platforms of Node and Deno.
 */

export interface NumberArray {
  readonly shape: ReadonlyArray<number>
  /** Whether the first index varies fastest; else the last one does. */
  readonly fortranOrder: boolean
  /** Two numbers per value, the real and the imaginary part, else one. */
  readonly complex: boolean
  readonly integer: boolean
  readonly numbers: ArrayLike<number>
}

type Numbers = ArrayLike<number> | BigInt64Array | BigUint64Array
type Constructor = new (buffer: ArrayBufferLike, offset: number, length: number) => Numbers

/** A type of numbers: bytes of one number, and its typed array. */
export interface NumberType {
  readonly bytes: number
  readonly array: Constructor
}

/** Types by NumPy's letters. */
export const numberTypes = {
  f4: { bytes: 4, array: Float32Array },
  f8: { bytes: 8, array: Float64Array },
  i1: { bytes: 1, array: Int8Array },
  i2: { bytes: 2, array: Int16Array },
  i4: { bytes: 4, array: Int32Array },
  i8: { bytes: 8, array: BigInt64Array },
  u1: { bytes: 1, array: Uint8Array },
  u2: { bytes: 2, array: Uint16Array },
  u4: { bytes: 4, array: Uint32Array },
  u8: { bytes: 8, array: BigUint64Array },
} as const satisfies Record<string, NumberType>

/**
 * The first `count` numbers in `bytes`: a view if the bytes are aligned, else a copy.
 *
 * @param swap whether they are big-endian
 */
export const numbersIn = (
  bytes: Uint8Array,
  { array, bytes: width }: NumberType,
  count: number,
  swap: boolean,
): ArrayLike<number> => {
  const inPlace = !swap && bytes.byteOffset % width === 0
  const data = inPlace ? bytes : bytes.slice()
  if (swap) reverseEach(data, width)
  const numbers = new array(data.buffer, data.byteOffset, count)
  return numbers instanceof BigInt64Array || numbers instanceof BigUint64Array
    ? Float64Array.from(numbers, Number)
    : numbers
}

/** Reverses the bytes of each number. */
const reverseEach = (bytes: Uint8Array, width: number): void => {
  for (let at = 0; at < bytes.length; at += width) {
    for (let low = at, high = at + width - 1; low < high; low++, high--) {
      const byte = bytes[low]!
      bytes[low] = bytes[high]!
      bytes[high] = byte
    }
  }
}
