/**
 * MATLAB files of level 5 (MathWorks, "MAT-File Format"): finds the variables, and reads arrays, cells and structs.
 *
 * Owns the container, as `save` writes it with -v6 and -v7, and its little-endian byte order. Boundary: `mat.ts` knows what variables
 * mean. All sizes are checked against the available bytes, and what variables unpack to together against a bound, before memory is
 * allocated. Nothing is read recursively.
 */
import { adler32, inflated, inflateFirst, UnpackBudget, unpackRefusal, zlibPart } from "./inflated.ts"
import { u16, u32 } from "./little-endian.ts"
import { type NumberArray, numbersIn, type NumberType, numberTypes } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"

const matHeaderBytes = 128
const tagBytes = 8
/** Unpacked bytes that contain the flags, dimensions and name of a variable. */
const variableHeadBytes = 512
const dimensionsMax = 32
const variablesMax = 4096
/** Maximum size of the numbers of a complex array in memory, bytes. */
const complexBytesMax = 2 ** 29

const matrixType = 14
const compressedType = 15
/** Types of numbers by their number in the format. */
const types: Readonly<Record<number, NumberType>> = {
  1: numberTypes.i1,
  2: numberTypes.u1,
  3: numberTypes.i2,
  4: numberTypes.u2,
  5: numberTypes.i4,
  6: numberTypes.u4,
  7: numberTypes.f4,
  9: numberTypes.f8,
  12: numberTypes.i8,
  13: numberTypes.u8,
}
const complexFlag = 0x800

/** Classes of arrays: cells, structs, and those of numbers from double to 64-bit integers, of which the first two are not integers. */
const classes = { cell: 1, struct: 2, firstNumber: 6, firstInteger: 8, lastNumber: 15, opaque: 17 } as const

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** A part of the format: a type and its data. */
interface Element {
  readonly type: number
  readonly at: number
  readonly end: number
  /** Start of the next element. */
  readonly next: number
}

/** The element at `at`; null if it does not fit before `end`. Short data are within the tag. */
const elementAt = (bytes: Uint8Array, at: number, end: number): Element | null => {
  if (at + tagBytes > end) return null
  const short = u16(bytes, at + 2)
  if (short > 4) return null
  if (short > 0) return { type: u16(bytes, at), at: at + 4, end: at + 4 + short, next: at + tagBytes }
  const type = u32(bytes, at)
  const dataEnd = at + tagBytes + u32(bytes, at + 4)
  if (dataEnd > end) return null
  const padding = type === compressedType ? 0 : (tagBytes - (dataEnd - at) % tagBytes) % tagBytes
  return { type, at: at + tagBytes, end: dataEnd, next: Math.min(end, dataEnd + padding) }
}

/** An array, of which only the description was read. */
export interface MatArray {
  readonly name: string
  readonly kind: "numbers" | "cells" | "struct" | "other"
  readonly complex: boolean
  readonly integer: boolean
  readonly shape: ReadonlyArray<number>
  readonly bytes: Uint8Array
  /** Its content after name and dimensions. */
  readonly at: number
  readonly end: number
}

const kindOf = (type: number): MatArray["kind"] => {
  if (type === classes.cell) return "cells"
  if (type === classes.struct) return "struct"
  return type >= classes.firstNumber && type <= classes.lastNumber ? "numbers" : "other"
}

const latin = (bytes: Uint8Array, at: number, end: number): string => {
  let text = ""
  for (let i = at; i < end && bytes[i] !== 0; i++) text += String.fromCharCode(bytes[i]!)
  return text
}

/** The array in an element of a matrix; null if its description is invalid. An element without data is an empty array. */
const arrayIn = (bytes: Uint8Array, { at, end, type }: Element): MatArray | null => {
  if (type !== matrixType) return null
  const other = { name: "", kind: "other", complex: false, integer: false, shape: [0, 0], bytes, at, end } as const
  if (at === end) return other
  const flags = elementAt(bytes, at, end)
  if (flags === null || types[flags.type] !== numberTypes.u4 || flags.end - flags.at !== 8) return null
  const word = u32(bytes, flags.at)
  const arrayClass = word & 0xff
  if (arrayClass === classes.opaque) return other
  const dimensions = elementAt(bytes, flags.next, end)
  if (dimensions === null || types[dimensions.type] !== numberTypes.i4) return null
  const count = (dimensions.end - dimensions.at) / 4
  if (!Number.isInteger(count) || count < 2 || count > dimensionsMax) return null
  const name = elementAt(bytes, dimensions.next, end)
  if (name === null || types[name.type] !== numberTypes.i1) return null
  return {
    name: latin(bytes, name.at, name.end),
    kind: kindOf(arrayClass),
    complex: (word & complexFlag) !== 0,
    integer: arrayClass >= classes.firstInteger,
    shape: Array.from({ length: count }, (_, i) => u32(bytes, dimensions.at + 4 * i)),
    bytes,
    at: name.next,
    end,
  }
}

/** A variable of a file. */
export interface MatVariable extends Pick<MatArray, "name" | "kind" | "shape"> {
  /** Start of the variable in the file. */
  readonly offset: number
  /** Reads the variable, which may be compressed. */
  readonly open: () => MatArray | Refusal
}

interface MatVariables {
  readonly variables: ReadonlyArray<MatVariable>
  /** Why there may be more variables; null if all were found. */
  readonly damage: Refusal | null
}

/** The variables of a file. */
export const matVariables = (file: Uint8Array): MatVariables => {
  const variables: Array<MatVariable> = []
  const budget = new UnpackBudget()
  const ended = (damage: Refusal | null): MatVariables => ({ variables, damage })
  for (let at = matHeaderBytes; at < file.length;) {
    const element = elementAt(file, at, file.length)
    if (element === null) return ended({ reason: "truncated", message: `the file ends within a variable` })
    if (variables.length === variablesMax) return ended(bad(`the file has more than ${variablesMax} variables`))
    const variable = element.type === compressedType
      ? compressedVariable(file, at, element, budget)
      : plainVariable(file, at, element)
    if ("reason" in variable) return ended(variable)
    variables.push(variable)
    at = element.next
  }
  return ended(null)
}

const plainVariable = (file: Uint8Array, offset: number, element: Element): MatVariable | Refusal => {
  const array = arrayIn(file, element)
  return array === null ? bad("a variable is damaged") : { ...array, offset, open: () => array }
}

/** A variable that is compressed by itself. Opening it takes its unpacked size from the budget of the file. */
const compressedVariable = (
  file: Uint8Array,
  offset: number,
  { at, end }: Element,
  budget: UnpackBudget,
): MatVariable | Refusal => {
  const packed = zlibPart(file.subarray(at, end))
  const head = packed === null ? undefined : inflateFirst(packed.deflated, variableHeadBytes)?.unpacked
  if (packed === null || head === undefined || head.length < tagBytes) return bad("a variable does not unpack")
  const bytes = tagBytes + u32(head, 4)
  const array = arrayIn(head, { type: u32(head, 0), at: tagBytes, end: Math.min(bytes, head.length), next: bytes })
  if (array === null) return bad("a variable is damaged")
  const open = (): MatArray | Refusal => {
    const tooMuch = budget.take(array.name, bytes)
    if (tooMuch !== null) return tooMuch
    const refusal = unpackRefusal(array.name, end - at, bytes, "save it without compression (-v6)")
    if (refusal !== null) return refusal
    const unpacked = inflated(packed.deflated, bytes)
    if (unpacked === null) return bad(`"${array.name}" does not unpack to its announced ${bytes} bytes`)
    if (adler32(unpacked) !== packed.checksum) {
      return { reason: "bad-value", message: `the checksum of "${array.name}" is wrong` }
    }
    return arrayIn(unpacked, { type: matrixType, at: tagBytes, end: bytes, next: bytes }) ??
      bad(`"${array.name}" is damaged`)
  }
  return { name: array.name, kind: array.kind, shape: array.shape, offset, open }
}

/**
 * The numbers of an array, of which a complex one has two for each value.
 *
 * @param name its name in messages; fields of structs have none of their own
 */
export const numbersOf = (array: MatArray, name = array.name): NumberArray | Refusal => {
  const { bytes, complex, end, integer, shape } = array
  if (array.kind !== "numbers") return bad(`"${name}" has no numbers`)
  const count = shape.reduce((product, length) => product * length, 1)
  const real = partOf(bytes, elementAt(bytes, array.at, end), count)
  if (real === null) return bad(`"${name}" does not have its ${count} numbers`)
  if (!complex) return { shape, fortranOrder: true, complex, integer, numbers: real.numbers }
  const imaginary = partOf(bytes, elementAt(bytes, real.next, end), count)
  if (imaginary === null) return bad(`"${name}" does not have its ${count} imaginary parts`)
  if (2 * count * Float32Array.BYTES_PER_ELEMENT > complexBytesMax) {
    return {
      reason: "too-long",
      message: `"${name}" has ${count} complex numbers. Split the recording into several files`,
    }
  }
  const numbers = new Float32Array(2 * count)
  for (let i = 0; i < count; i++) {
    numbers[2 * i] = real.numbers[i]!
    numbers[2 * i + 1] = imaginary.numbers[i]!
  }
  return { shape, fortranOrder: true, complex, integer: false, numbers }
}

/** The numbers of an element; null if they are not `count`. MATLAB writes numbers of a class in any type that has their values. */
const partOf = (
  bytes: Uint8Array,
  element: Element | null,
  count: number,
): { readonly numbers: ArrayLike<number>; readonly next: number } | null => {
  const type = element === null ? undefined : types[element.type]
  if (element === null || type === undefined || element.end - element.at !== count * type.bytes) return null
  return { numbers: numbersIn(bytes.subarray(element.at, element.end), type, count, false), next: element.next }
}

/** The arrays from `at` on, up to `end` or the first that is damaged, which is null. */
function* arraysFrom(bytes: Uint8Array, at: number, end: number): Generator<MatArray | null> {
  while (at < end) {
    const element = elementAt(bytes, at, end)
    const array = element === null ? null : arrayIn(bytes, element)
    yield array
    if (element === null || array === null) return
    at = element.next
  }
}

/** The cells of an array of such; the first that is damaged is null, and the last. */
export const cellsOf = (array: MatArray): Iterable<MatArray | null> => arraysFrom(array.bytes, array.at, array.end)

/** The fields of a struct of 1 x 1; null if it is damaged or another array. */
export const fieldsOf = ({ at, bytes, end, kind, shape }: MatArray): ReadonlyMap<string, MatArray> | null => {
  if (kind !== "struct" || shape.some((length) => length !== 1)) return null
  const nameBytes = elementAt(bytes, at, end)
  const names = nameBytes === null ? null : elementAt(bytes, nameBytes.next, end)
  if (nameBytes === null || names === null || nameBytes.end - nameBytes.at !== 4) return null
  const length = u32(bytes, nameBytes.at)
  const fields = new Map<string, MatArray>()
  if (length === 0) return fields
  let nameAt = names.at
  for (const array of arraysFrom(bytes, names.next, end)) {
    if (array === null || nameAt + length > names.end) return null
    fields.set(latin(bytes, nameAt, nameAt + length), array)
    nameAt += length
  }
  return nameAt === names.end ? fields : null
}
