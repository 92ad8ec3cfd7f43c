/**
 * Weights of a network from a safetensors file: named float32 arrays with their shapes.
 *
 * Owns the reading of the file format (eight bytes length, a JSON header, the values), of its header alone, and the
 * check that a file has the arrays of a network. Boundary: `network.ts` defines the names.
 */

/** An array of a network. */
interface Tensor {
  readonly shape: ReadonlyArray<number>
  readonly values: Float32Array
}

export interface Weights {
  /** Text metadata of the file. */
  readonly metadata: Readonly<Record<string, string>>
  readonly tensors: ReadonlyMap<string, Tensor>
}

/** Invalid weights: not a readable file, or not the arrays that the network needs. */
export class BadWeights extends Error {
  override readonly name = "BadWeights"
}

/** Maximum size of a file, and of its header. */
export const weightsBytesMax = 64 * 2 ** 20
const headerBytesMax = 2 ** 20
/** Number of bytes at the start of a file that contain its header. */
export const startBytesMax = 8 + headerBytesMax

interface Entry {
  readonly dtype: unknown
  readonly shape: unknown
  readonly data_offsets: unknown
}

const isNumbers = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)

const readTensor = (name: string, entry: Entry, data: Uint8Array): Tensor => {
  const { data_offsets: offsets, dtype, shape } = entry
  if (dtype !== "F32") throw new BadWeights(`${name} has type ${String(dtype)}; export it as F32.`)
  if (!isNumbers(shape) || !isNumbers(offsets) || offsets.length !== 2) {
    throw new BadWeights(`${name} has no shape or no data offsets in the file.`)
  }
  const [begin, end] = offsets as readonly [number, number]
  const length = shape.reduce((product, size) => product * size, 1)
  if (end > data.length || end - begin !== 4 * length) {
    throw new BadWeights(`${name} of shape [${shape}] does not match its data offsets in the file.`)
  }
  // A copy is aligned; the position in the file may not be.
  const values = new Float32Array(length)
  new Uint8Array(values.buffer).set(data.subarray(begin, end))
  return { shape, values }
}

/** The header of a file, and its end. */
const readHeader = (file: Uint8Array): { readonly header: object; readonly end: number } => {
  if (file.length < 8) throw new BadWeights(`A file of ${file.length} bytes is not a safetensors file.`)
  const headerBytes = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
  if (headerBytes > headerBytesMax || 8 + headerBytes > file.length) {
    throw new BadWeights("The file's header is longer than the file, or than the limit: it is not a safetensors file.")
  }
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(file.subarray(8, 8 + headerBytes)))
  } catch (cause) {
    throw new BadWeights("The file's header is not JSON: it is not a safetensors file.", { cause })
  }
  if (typeof header !== "object" || header === null) throw new BadWeights("The file's header is not a JSON object.")
  return { header, end: 8 + headerBytes }
}

/** The text entries in the metadata of a header; the format allows nothing else there. */
const metadataOf = (header: object): Weights["metadata"] => {
  const metadata: unknown = "__metadata__" in header ? header.__metadata__ : {}
  return typeof metadata !== "object" || metadata === null
    ? {}
    : Object.fromEntries(Object.entries(metadata).filter(([, value]) => typeof value === "string"))
}

/** The metadata of a file, from its first `startBytesMax` bytes. Throws `BadWeights`. */
export const readMetadata = (start: Uint8Array): Weights["metadata"] => metadataOf(readHeader(start).header)

/** Reads a safetensors file. Throws `BadWeights`, which names the defect. */
export const readWeights = (file: Uint8Array): Weights => {
  if (file.length > weightsBytesMax) {
    throw new BadWeights(
      `A file of ${file.length} bytes is larger than the limit of ${weightsBytesMax} bytes.`,
    )
  }
  const { end, header } = readHeader(file)
  const data = file.subarray(end)
  const tensors = new Map<string, Tensor>()
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue
    if (typeof entry !== "object" || entry === null) throw new BadWeights(`${name} is not described by an object.`)
    else tensors.set(name, readTensor(name, entry as Entry, data))
  }
  return { metadata: metadataOf(header), tensors }
}

/**
 * An array of the weights with the given shape. Throws `BadWeights` where it is missing or has values that are not
 * finite.
 */
export const tensorOf = ({ tensors }: Weights, name: string, shape: ReadonlyArray<number>): Float32Array => {
  const tensor = tensors.get(name)
  if (tensor === undefined) throw new BadWeights(`The weights lack ${name} of shape [${shape}].`)
  if (tensor.shape.length !== shape.length || tensor.shape.some((size, i) => size !== shape[i])) {
    throw new BadWeights(`${name} has shape [${tensor.shape}]; the network takes [${shape}].`)
  }
  if (!tensor.values.every(Number.isFinite)) throw new BadWeights(`${name} has values that are not finite numbers.`)
  return tensor.values
}

/** A matrix of the weights. Older files lack its last `added` columns, which then are zeros. Throws as `tensorOf`. */
export const grownTensorOf = (
  weights: Weights,
  name: string,
  [rows, columns]: readonly [rows: number, columns: number],
  added: number,
): Float32Array => {
  const older = columns - added
  if (weights.tensors.get(name)?.shape[1] !== older) return tensorOf(weights, name, [rows, columns])
  const values = tensorOf(weights, name, [rows, older])
  const out = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++) out.set(values.subarray(row * older, (row + 1) * older), row * columns)
  return out
}
