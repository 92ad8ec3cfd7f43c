/**
 * NumPy arrays: reads the bytes of a `.npy` file (NumPy's "NPY format", versions 1 to 3).
 *
 * Owns the header. Boundary: `number-array.ts` reads the numbers, the caller interprets the array. Every size is checked against the
 * available bytes before anything is allocated.
 */
import { u16, u32 } from "./little-endian.ts"
import { type NumberArray, numbersIn, type NumberType, numberTypes } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"

/** An array of a file. */
export interface NpyArray extends NumberArray {
  /** Start of the numbers in the file. */
  readonly offset: number
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
const headerBytesMax = 4096
const dimensionsMax = 32

/** NumPy's letters of complex numbers, with those of their parts; the others are those of the number itself. */
const types: Readonly<Record<string, NumberType>> = { ...numberTypes, c8: numberTypes.f4, c16: numberTypes.f8 }

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
    numbers: numbersIn(bytes.subarray(offset), type, count, description[1] === ">"),
    offset,
  }
}
