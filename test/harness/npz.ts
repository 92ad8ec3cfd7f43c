/** Writes NumPy `.npz` files, as the tests need them. */
import { type Zippable, zipSync } from "fflate"

interface ArrayOptions {
  /** NumPy's letters of the type, with the byte order: `<c8`, `>f8`. */
  readonly type: string
  readonly shape: ReadonlyArray<number>
  readonly fortranOrder?: boolean
}

/** One number of a type at a place of a view. */
const writers: Readonly<
  Record<string, readonly [bytes: number, (view: DataView, at: number, n: number, little: boolean) => void]>
> = {
  c8: [4, (view, at, n, little) => view.setFloat32(at, n, little)],
  c16: [8, (view, at, n, little) => view.setFloat64(at, n, little)],
  f4: [4, (view, at, n, little) => view.setFloat32(at, n, little)],
  f8: [8, (view, at, n, little) => view.setFloat64(at, n, little)],
  i1: [1, (view, at, n) => view.setInt8(at, n)],
  i2: [2, (view, at, n, little) => view.setInt16(at, n, little)],
  i8: [8, (view, at, n, little) => view.setBigInt64(at, BigInt(n), little)],
}

/** The bytes of a `.npy` file. `numbers` are in the order of the file; a complex value is two. */
export const npyBytes = (
  numbers: ArrayLike<number>,
  { fortranOrder = false, shape, type }: ArrayOptions,
): Uint8Array => {
  const [width, write] = writers[type.slice(1)]!
  const dimensions = shape.length === 1 ? `${shape[0]},` : shape.join(", ")
  const order = fortranOrder ? "True" : "False"
  const text = `{'descr': '${type}', 'fortran_order': ${order}, 'shape': (${dimensions}), }`
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n"
  const bytes = new Uint8Array(10 + header.length + numbers.length * width)
  const view = new DataView(bytes.buffer)
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0])
  view.setUint16(8, header.length, true)
  bytes.set(new TextEncoder().encode(header), 10)
  for (let i = 0; i < numbers.length; i++) {
    write(view, 10 + header.length + i * width, numbers[i]!, type.startsWith("<"))
  }
  return bytes
}

/** An archive of `.npy` files, by the names of their arrays. */
export const npzBytes = (arrays: Readonly<Record<string, Uint8Array>>, deflated = false): Uint8Array => {
  const files: Zippable = {}
  for (const [name, bytes] of Object.entries(arrays)) {
    files[`${name}.npy`] = [bytes, { level: deflated ? 6 : 0, mem: 0 }]
  }
  return zipSync(files)
}
