/**
 * Weights of a network from a safetensors file: named float32 arrays with their shapes.
 *
 * Owns the reading of the file format (eight bytes length, a JSON header, the values), of its header alone, and the check that a file
 * has what a network needs. Boundary: which names those are is `network.ts`.
 */

/** An array of a network. */
export interface Tensor {
  readonly shape: ReadonlyArray<number>
  readonly values: Float32Array
}

export interface Weights {
  /** Text that the file carries about itself. */
  readonly metadata: Readonly<Record<string, string>>
  readonly tensors: ReadonlyMap<string, Tensor>
}

/** A file that holds no weights, or others than asked for. */
export class BadWeights extends Error {
  override readonly name = "BadWeights"
}

/** Largest file that is read, and its largest header. */
export const weightsBytesMax = 64 * 2 ** 20
const headerBytesMax = 2 ** 20
/** So many bytes of a file hold its header. */
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
    throw new BadWeights(`${name} has no shape or no place in the file.`)
  }
  const [begin, end] = offsets as readonly [number, number]
  const length = shape.reduce((product, size) => product * size, 1)
  if (end > data.length || end - begin !== 4 * length) {
    throw new BadWeights(`${name} of shape [${shape}] does not fit its place in the file.`)
  }
  // A copy is aligned; the file's own place need not be.
  const values = new Float32Array(length)
  new Uint8Array(values.buffer).set(data.subarray(begin, end))
  return { shape, values }
}

/** The header of a file, and where it ends. */
const readHeader = (file: Uint8Array): { readonly header: object; readonly end: number } => {
  if (file.length < 8) throw new BadWeights(`A file of ${file.length} bytes is no safetensors file.`)
  const headerBytes = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
  if (headerBytes > headerBytesMax || 8 + headerBytes > file.length) {
    throw new BadWeights("The file's header is longer than the file, or than any header: it is no safetensors file.")
  }
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(file.subarray(8, 8 + headerBytes)))
  } catch (cause) {
    throw new BadWeights("The file's header is no JSON: it is no safetensors file.", { cause })
  }
  if (typeof header !== "object" || header === null) throw new BadWeights("The file's header is no JSON object.")
  return { header, end: 8 + headerBytes }
}

/** What is text in the metadata of a header; the format allows nothing else there. */
const metadataOf = (header: object): Weights["metadata"] => {
  const metadata: unknown = "__metadata__" in header ? header.__metadata__ : {}
  return typeof metadata !== "object" || metadata === null
    ? {}
    : Object.fromEntries(Object.entries(metadata).filter(([, value]) => typeof value === "string"))
}

/** What a file says of itself, from its first `startBytesMax` bytes. Throws `BadWeights`. */
export const readMetadata = (start: Uint8Array): Weights["metadata"] => metadataOf(readHeader(start).header)

/** Reads a safetensors file. Throws `BadWeights`, which says what is wrong with it. */
export const readWeights = (file: Uint8Array): Weights => {
  if (file.length > weightsBytesMax) {
    throw new BadWeights(
      `A file of ${file.length} bytes is larger than ${weightsBytesMax} bytes, the most that is read.`,
    )
  }
  const { end, header } = readHeader(file)
  const data = file.subarray(end)
  const tensors = new Map<string, Tensor>()
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue
    if (typeof entry !== "object" || entry === null) throw new BadWeights(`${name} is described by no object.`)
    else tensors.set(name, readTensor(name, entry as Entry, data))
  }
  return { metadata: metadataOf(header), tensors }
}

/** An array of the weights, of the shape that is wanted. Throws `BadWeights` where there is none, or one with values that are no numbers. */
export const tensorOf = ({ tensors }: Weights, name: string, shape: ReadonlyArray<number>): Float32Array => {
  const tensor = tensors.get(name)
  if (tensor === undefined) throw new BadWeights(`The weights lack ${name} of shape [${shape}].`)
  if (tensor.shape.length !== shape.length || tensor.shape.some((size, i) => size !== shape[i])) {
    throw new BadWeights(`${name} has shape [${tensor.shape}]; the network takes [${shape}].`)
  }
  if (!tensor.values.every(Number.isFinite)) throw new BadWeights(`${name} has values that are no finite numbers.`)
  return tensor.values
}
