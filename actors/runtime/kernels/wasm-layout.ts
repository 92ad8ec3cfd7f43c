/**
 * The layout of a call in the memory of the WebAssembly module: its inputs, its output, and the work area of each part, one after the other.
 *
 * Boundary: the functions of `core/kernels/wasm/assembly/index.ts` give the sizes; `wasm-backend.ts` places calls.
 */
import type { Kernel, Params } from "../../../core/kernels/kernel.ts"
import { type Exports, memoryBytes, type Part, slackBytes } from "./wasm-module.ts"

/** A call with its addresses, relative to the start of the call. */
export interface Layout {
  readonly name: string
  readonly params: ReadonlyArray<number>
  /** Addresses of the inputs and, last, of the output. */
  readonly arrays: ReadonlyArray<number>
  readonly work: number
  /** Bytes of the work area of one part. */
  readonly workBytes: number
  readonly bytes: number
  /** Units into which the call can be split. */
  readonly units: number
  /** Multiply-adds of the call. */
  readonly cost: number
}

export const aligned = (bytes: number): number => Math.ceil(bytes / 64) * 64

const exportOf = (kernelName: string): string =>
  kernelName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/**
 * The layout of a call; null for a call that is empty or larger than `bytesMax`.
 *
 * @param partsMax parts that compute side by side, each with its own work area
 */
export const layoutOf = <P extends Params>(
  exports: Exports,
  kernel: Kernel<P>,
  params: P,
  partsMax: number,
  bytesMax: number,
): Layout | null => {
  const name = exportOf(kernel.name)
  const args = kernel.params.map((param) => params[param]!)
  const lengths = [...kernel.inputs(params), kernel.output(params)]
  // Larger numbers would wrap in the module.
  if (exports[name] === undefined || args.some((arg) => arg >= 2 ** 31) || lengths.includes(0)) return null
  let bytes = 0
  const arrays = lengths.map((length) => {
    const at = bytes
    bytes += aligned(4 * length + slackBytes)
    return at
  })
  if (bytes > memoryBytes) return null
  const workBytes = aligned(exports[`${name}Work`]!(...args) + slackBytes)
  const work = bytes
  bytes += partsMax * workBytes
  if (bytes > bytesMax) return null
  const units = exports[`${name}Units`]!(...args)
  return { name, params: args, arrays, work, workBytes, bytes, units, cost: exports[`${name}Cost`]!(...args) }
}

/**
 * Splits the units of a call evenly into at most `partsMax` parts.
 *
 * @param from address of the call
 * @param arrays addresses of its arrays
 */
export const partsOf = (
  { name, params, units, work, workBytes }: Layout,
  from: number,
  arrays: ReadonlyArray<number>,
  partsMax: number,
): ReadonlyArray<Part> => {
  const count = Math.min(partsMax, units)
  return Array.from({ length: count }, (_, i) => ({
    name,
    args: [
      ...params,
      ...arrays,
      from + work + i * workBytes,
      Math.floor(i * units / count),
      Math.floor((i + 1) * units / count),
    ],
  }))
}
