/** MATLAB files of level 5, right and wrong, as the tests need them. */
import fc from "fast-check"
import { zlibSync } from "fflate"
import { damaged, joined } from "./damage.ts"

type Bytes = Uint8Array

/** Types of numbers of the format: their number, bytes, and how a view writes one. */
const types = {
  i1: [1, 1, (view: DataView, at: number, n: number) => view.setInt8(at, n)],
  u1: [2, 1, (view: DataView, at: number, n: number) => view.setUint8(at, n)],
  i2: [3, 2, (view: DataView, at: number, n: number) => view.setInt16(at, n, true)],
  i4: [5, 4, (view: DataView, at: number, n: number) => view.setInt32(at, n, true)],
  u4: [6, 4, (view: DataView, at: number, n: number) => view.setUint32(at, n, true)],
  f4: [7, 4, (view: DataView, at: number, n: number) => view.setFloat32(at, n, true)],
  f8: [9, 8, (view: DataView, at: number, n: number) => view.setFloat64(at, n, true)],
} as const
type NumberType = keyof typeof types

/** Classes of arrays, by their number in the format. */
const classes = { cell: 1, struct: 2, char: 4, f8: 6, f4: 7, i1: 8, u1: 9, i2: 10 } as const

/** An element; up to four bytes are within its tag, as MATLAB writes them. */
const element = (type: number, data: Bytes): Bytes => {
  const short = data.length > 0 && data.length <= 4
  const bytes = new Uint8Array(8 + (short ? 0 : Math.ceil(data.length / 8) * 8))
  const view = new DataView(bytes.buffer)
  if (short) {
    view.setUint16(0, type, true)
    view.setUint16(2, data.length, true)
  } else {
    view.setUint32(0, type, true)
    view.setUint32(4, data.length, true)
  }
  bytes.set(data, short ? 4 : 8)
  return bytes
}

const ascii = (text: string): Bytes => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

const numbersElement = (type: NumberType, numbers: ArrayLike<number>): Bytes => {
  const [id, width, write] = types[type]
  const data = new Uint8Array(numbers.length * width)
  const view = new DataView(data.buffer)
  for (let i = 0; i < numbers.length; i++) write(view, i * width, numbers[i]!)
  return element(id, data)
}

const matrix = (
  name: string,
  arrayClass: number,
  shape: ReadonlyArray<number>,
  content: ReadonlyArray<Bytes>,
  complex = false,
): Bytes =>
  element(
    14,
    joined(
      numbersElement("u4", [arrayClass | (complex ? 0x800 : 0), 0]),
      numbersElement("i4", shape),
      element(1, ascii(name)),
      ...content,
    ),
  )

/** An array without content, as MATLAB leaves it in a cell. */
export const emptyCell: Bytes = element(14, new Uint8Array(0))

/** An array of numbers, column by column. `stored` is the type in the file, which may be narrower than the class. */
export const matNumbers = (
  name: string,
  shape: ReadonlyArray<number>,
  real: ArrayLike<number>,
  { as = "f8", imaginary, stored = as }: {
    readonly as?: "f8" | "f4" | "i1" | "u1" | "i2"
    readonly stored?: NumberType
    readonly imaginary?: ArrayLike<number>
  } = {},
): Bytes =>
  matrix(
    name,
    classes[as],
    shape,
    [real, ...(imaginary === undefined ? [] : [imaginary])].map((numbers) => numbersElement(stored, numbers)),
    imaginary !== undefined,
  )

export const matText = (name: string, text: string): Bytes =>
  matrix(name, classes.char, [1, text.length], [element(16, ascii(text))])

/** A column of cells. */
export const matCells = (name: string, cells: ReadonlyArray<Bytes>): Bytes =>
  matrix(name, classes.cell, [cells.length, 1], cells)

/** A struct of fields without names of their own. */
export const matStruct = (fields: Readonly<Record<string, Bytes>>): Bytes => {
  const names = Object.keys(fields)
  const table = new Uint8Array(32 * names.length)
  names.forEach((name, i) => table.set(ascii(name), 32 * i))
  return matrix("", classes.struct, [1, 1], [numbersElement("i4", [32]), element(1, table), ...Object.values(fields)])
}

/** A file of variables. */
export const matFile = (variables: ReadonlyArray<Bytes>, { compressed = false, order = "IM" } = {}): Bytes => {
  const head = new Uint8Array(128).fill(32)
  head.set(ascii("MATLAB 5.0 MAT-file, Platform: GLNXA64"))
  head.set([0, 1, ...ascii(order)], 124)
  return joined(
    head,
    ...variables.map((variable) => {
      if (!compressed) return variable
      const packed = zlibSync(variable)
      const tag = new Uint8Array(8)
      const view = new DataView(tag.buffer)
      view.setUint32(0, 15, true)
      view.setUint32(4, packed.length, true)
      return joined(tag, packed)
    }),
  )
}

interface Packet {
  readonly timestamp?: number
  readonly count?: number
  readonly receive: number
  readonly transmit: number
  readonly noise?: number
  readonly rate?: number
  readonly tones?: number
  readonly stored?: NumberType
  /** Value of receive row `rx` of transmit antenna `tx` at a tone. */
  readonly value: (rx: number, tx: number, tone: number) => readonly [re: number, im: number]
}

/** A packet as `read_bf_file` of the Linux 802.11n CSI Tool has it. */
export const intelPacket = (
  { count = 0, noise = -80, rate = 0x100, receive, stored = "f8", timestamp = 0, tones = 30, transmit, value }: Packet,
): Bytes => {
  const values = Array.from(
    { length: tones * receive * transmit },
    (_, i) => value(Math.floor(i / transmit) % receive, i % transmit, Math.floor(i / (transmit * receive))),
  )
  const byte = (n: number): Bytes => matNumbers("", [1, 1], [n], { as: "u1" })
  return matStruct({
    timestamp_low: matNumbers("", [1, 1], [timestamp]),
    bfee_count: matNumbers("", [1, 1], [count], { stored: "u4" }),
    Nrx: byte(receive),
    Ntx: byte(transmit),
    rssi_a: byte(30),
    rssi_b: byte(31),
    rssi_c: byte(32),
    noise: matNumbers("", [1, 1], [noise], { as: "i1" }),
    agc: byte(20),
    perm: matNumbers("", [1, 3], [1, 2, 3], { as: "u1" }),
    rate: matNumbers("", [1, 1], [rate], { stored: "u4" }),
    csi: matNumbers("", [transmit, receive, tones], values.map(([re]) => re), {
      stored,
      imaginary: values.map(([, im]) => im),
    }),
  })
}

const packet = fc.record({
  receive: fc.integer({ min: 1, max: 3 }),
  transmit: fc.integer({ min: 1, max: 3 }),
  timestamp: fc.constantFrom(0, 1000, 4_294_967_295, -5, 1e12, NaN),
  rate: fc.nat(65_535),
  tones: fc.constantFrom(30, 30, 30, 30, 29),
  stored: fc.constantFrom<NumberType>("f8", "i1", "f4"),
}).map((fields) => intelPacket({ ...fields, value: (rx, tx, tone) => [rx + tone, tx - tone] }))

const trace = fc.record({
  packets: fc.array(fc.oneof({ weight: 5, arbitrary: packet }, fc.constant(emptyCell)), { maxLength: 5 }),
  others: fc.subarray([matText("filename", "a.dat"), matNumbers("csi", [3, 30], new Float64Array(90))]),
  compressed: fc.boolean(),
}).map(({ compressed, others, packets }) => matFile([...others, matCells("csi_trace", packets)], { compressed }))

const arrays = fc.record({
  frames: fc.nat(6),
  rx: fc.constantFrom(1, 1, 2, 3, 9),
  tones: fc.constantFrom(2, 8, 30, 1),
  as: fc.constantFrom("f8" as const, "f4" as const, "i2" as const),
  isComplex: fc.boolean(),
  compressed: fc.boolean(),
}).map(({ as, compressed, frames, isComplex, rx, tones }) => {
  const values = Array.from({ length: frames * rx * tones }, (_, i) => i % 100 - 50)
  const csi = matNumbers("csi", [frames, rx, tones], values, isComplex ? { as, imaginary: values } : { as })
  const times = matNumbers("timestamp_s", [1, frames], Array.from({ length: frames }, (_, i) => i / 100))
  return matFile([csi, times], { compressed })
})

export const matFiles: fc.Arbitrary<Bytes> = fc.oneof(
  trace,
  damaged(trace),
  arrays,
  damaged(arrays),
  fc.uint8Array({ maxLength: 200 }).map((noise) => joined(matFile([]), noise)),
)
