/**
 * NumPy arrays: reads the bytes of a `.npy` file (NumPy's "NPY format", versions 1 to 3).
 *
 * Owns the header, the types of numbers, and both byte orders. Boundary: the caller interprets the array. Every size is
 * checked against the available bytes before anything is allocated. Typed arrays are little-endian, as on all platforms of
 * Node and Deno.
 */
import { u16, u32 } from "./little-endian.ts"
import type { Refusal } from "./record-stream.ts"

export interface NpyArray {
  readonly shape: ReadonlyArray<number>
  /** Whether the first index varies fastest; else the last one does. */
  readonly fortranOrder: boolean
  /** Two numbers per value, the real and the imaginary part, else one. */
  readonly complex: boolean
  readonly integer: boolean
  readonly numbers: ArrayLike<number>
  /** Start of the numbers in the file. */
  readonly offset: number
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
const headerBytesMax = 4096
const dimensionsMax = 32

type Numbers = ArrayLike<number> | BigInt64Array | BigUint64Array
type Constructor = new (buffer: ArrayBufferLike, offset: number, length: number) => Numbers

/** A type of numbers: bytes of one number, and its typed array. */
interface NumberType {
  readonly bytes: number
  readonly array: Constructor
}

/** NumPy's letters, and bytes per value. */
const types: Readonly<Record<string, NumberType>> = {
  c8: { bytes: 4, array: Float32Array },
  c16: { bytes: 8, array: Float64Array },
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
}

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** Reads an array, or returns why it cannot be read. */
export const readNpy = (bytes: Uint8Array): NpyArray | Refusal => {
  if (bytes.length < 12 || !magic.every((byte, i) => bytes[i] === byte)) {
    return { reason: "not-a-record", message: "not a NumPy array" }
  }
  const version = bytes[6]!
  if (version < 1 || version > 3) return bad(`version ${version} of the NumPy format is unknown`)
  const headerAt = version === 1 ? 10 : 12
  const headerBytes = version === 1 ? u16(bytes, 8) : u32(bytes, 8)
  const offset = headerAt + headerBytes
  if (headerBytes > headerBytesMax || offset > bytes.length) return bad(`invalid header length: ${headerBytes} bytes`)
  const header = new TextDecoder().decode(bytes.subarray(headerAt, offset))
  const description = /'descr'\s*:\s*'([<>|=])([a-z]\d{1,2})'/.exec(header)
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header)
  const dimensions = /'shape'\s*:\s*\(([\d,\s]*)\)/.exec(header)
  if (description === null || order === null || dimensions === null) {
    return bad("the header does not have the type, order and shape of plain numbers")
  }
  const letters = description[2]!
  const type = types[letters]
  if (type === undefined) return bad(`numbers of type ${letters} are not supported`)
  const shape = dimensions[1]!.split(",").filter((text) => text.trim() !== "").map(Number)
  if (shape.length > dimensionsMax) return bad(`${shape.length} dimensions`)
  const complex = letters.startsWith("c")
  const count = shape.reduce((product, length) => product * length, complex ? 2 : 1)
  if (count * type.bytes !== bytes.length - offset) {
    const message = `shape ${shape.join(" x ")} of ${letters} does not fit the array's ${bytes.length - offset} bytes`
    return { reason: "value-count", message }
  }
  return {
    shape,
    fortranOrder: order[1] === "True",
    complex,
    integer: letters.startsWith("i") || letters.startsWith("u"),
    numbers: numbersOf(bytes.subarray(offset), type, count, description[1] === ">"),
    offset,
  }
}

/** A view if the bytes are aligned, else a copy. */
const numbersOf = (
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
