/**
 * Columns as NumPy arrays (`.npy`, version 1.0) in an `.npz` archive.
 *
 * text: `<U`; float: `<f8`, null is NaN; integer: `<i8`, or `<f8` with NaN if one is null; boolean: `|i1`, null is -1; time: `<M8[ms]`,
 * null is NaT.
 */
import { zipSync } from "fflate"
import type { Cell, ColumnHead } from "./table.ts"

const notATime = -(2n ** 63n)

interface NumpyData {
  readonly type: string
  readonly bytes: Uint8Array
}

const bytesOf = ({ buffer, byteLength, byteOffset }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

export const textData = (cells: ReadonlyArray<Cell>): NumpyData => {
  const pointsOf = (cell: Cell): ReadonlyArray<number> =>
    Array.from(cell === null ? "" : String(cell), (character) => character.codePointAt(0)!)
  const width = cells.reduce<number>((widest, cell) => Math.max(widest, pointsOf(cell).length), 1)
  const points = new Uint32Array(width * cells.length)
  cells.forEach((cell, i) => points.set(pointsOf(cell), i * width))
  return { type: `<U${width}`, bytes: bytesOf(points) }
}

const floatData = (cells: ReadonlyArray<Cell>): NumpyData => ({
  type: "<f8",
  bytes: bytesOf(Float64Array.from(cells, (cell) => cell === null ? NaN : Number(cell))),
})

const dataOf = (type: ColumnHead["type"], cells: ReadonlyArray<Cell>): NumpyData => {
  switch (type) {
    case "text":
      return textData(cells)
    case "float":
      return floatData(cells)
    case "integer":
      return cells.includes(null)
        ? floatData(cells)
        : { type: "<i8", bytes: bytesOf(BigInt64Array.from(cells, (cell) => BigInt(Number(cell)))) }
    case "boolean":
      return { type: "|i1", bytes: bytesOf(Int8Array.from(cells, (cell) => cell === null ? -1 : Number(cell))) }
    case "time":
      return {
        type: "<M8[ms]",
        bytes: bytesOf(BigInt64Array.from(cells, (cell) => cell === null ? notATime : BigInt(Number(cell)))),
      }
  }
}

/** Data start at a multiple of 64 bytes, as the format demands. */
const alignment = 64
const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]

/** A `.npy` file. `shape` is written as given; its product is the number of values. */
export const npyFile = (type: string, shape: ReadonlyArray<number>, bytes: Uint8Array): Uint8Array => {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ")
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': (${sizes}), }`
  const length = Math.ceil((magic.length + 2 + text.length + 1) / alignment) * alignment
  const file = new Uint8Array(length + bytes.length)
  file.set(magic)
  new DataView(file.buffer).setUint16(magic.length, length - magic.length - 2, true)
  file.set(new TextEncoder().encode(`${text.padEnd(length - magic.length - 3)}\n`), magic.length + 2)
  file.set(bytes, length)
  return file
}

/** The archive of these columns, compressed. */
export const npzOfColumns = (
  heads: ReadonlyArray<ColumnHead>,
  columns: ReadonlyArray<ReadonlyArray<Cell>>,
): Uint8Array =>
  zipSync(Object.fromEntries(heads.map(({ name, type }, i) => {
    const cells = columns[i]!
    const { bytes, type: dtype } = dataOf(type, cells)
    return [`${name}.npy`, npyFile(dtype, [cells.length], bytes)]
  })))
