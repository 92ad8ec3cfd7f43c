/**
 * Kernels on WebAssembly SIMD: small calls here and now, large ones in threads that share the memory.
 *
 * Owns the memory's layout: inputs, output and work of one call behind each other, small calls in the lower part, the large call that
 * is in progress in the rest. Boundary: compiled bytes and threads are given; what is computed is `assembly/`.
 *
 * Invariants:
 * 1. A call holds this thread up for no longer than `inlineCostMax` takes, and its arrays' copying.
 * 2. A result does not depend on the number of threads.
 */
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"
import { compute, instantiate, memoryBytes, openProgram, type Part, type Program, slackBytes } from "./wasm-module.ts"

/**
 * Multiply-adds of a call that is computed in the caller's thread: about a millisecond on a processor of 2023, ten on a small one. A
 * thread's answer takes 0.02 ms, so that a larger call loses nothing by its way there.
 */
const inlineCostMax = 16e6
/** Memory of calls in the caller's thread. */
const inlineBytesMax = 16 * 1024 * 1024
/** Calls that wait for the threads. */
const waitingMax = 64

/** Threads that compute parts of a call. */
export interface KernelThreads {
  readonly count: number
  /** Computes at most `count` parts side by side. Rejects with `BackendLost` when a thread dies. */
  readonly run: (parts: ReadonlyArray<Part>) => Promise<void>
  readonly close: () => void
}

/** A call with its place in the memory, which begins at 0. */
interface Layout {
  readonly name: string
  readonly params: ReadonlyArray<number>
  /** Addresses of the inputs and, last, of the output. */
  readonly arrays: ReadonlyArray<number>
  readonly work: number
  /** Bytes of one part's work. */
  readonly workBytes: number
  readonly bytes: number
  readonly units: number
  readonly cost: number
}

const aligned = (bytes: number): number => Math.ceil(bytes / 64) * 64

const exportOf = (kernelName: string): string =>
  kernelName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** Splits the units of a call evenly; each part has its own work. */
const partsOf = (layout: Layout, from: number, most: number): ReadonlyArray<Part> => {
  const { arrays, name, params, units, work, workBytes } = layout
  const count = Math.min(most, units)
  return Array.from({ length: count }, (_, i) => ({
    name,
    args: [
      ...params,
      ...arrays.map((at) => from + at),
      from + work + i * workBytes,
      Math.floor(i * units / count),
      Math.floor((i + 1) * units / count),
    ],
  }))
}

/** Compiles the module and starts its threads. Rejects when the runtime has no relaxed SIMD or no shared memory. */
export const createWasmBackend = async (
  bytes: Uint8Array,
  startThreads: (program: Program) => Promise<KernelThreads>,
): Promise<KernelBackend> => {
  const program = openProgram(bytes)
  const instance = instantiate(program)
  const threads = await startThreads(program)
  const { arena, exports } = instance
  const values = new Float32Array(program.memory.buffer)
  const inlineFrom = aligned(arena)
  const threadsFrom = inlineFrom + inlineBytesMax
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let lost: BackendLost | null = null

  /** Null for a call that is empty or does not fit the memory. */
  const layoutOf = <P extends Params>(kernel: Kernel<P>, params: P): Layout | null => {
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
    bytes += threads.count * workBytes
    if (threadsFrom + bytes > memoryBytes) return null
    const units = exports[`${name}Units`]!(...args)
    return { name, params: args, arrays, work, workBytes, bytes, units, cost: exports[`${name}Cost`]!(...args) }
  }

  const copyIn = (layout: Layout, from: number, inputs: ReadonlyArray<Float32Array>): void => {
    for (const [i, input] of inputs.entries()) values.set(input, (from + layout.arrays[i]!) / 4)
  }

  const copyOut = (layout: Layout, from: number, output: Float32Array): void => {
    const at = (from + layout.arrays.at(-1)!) / 4
    output.set(values.subarray(at, at + output.length))
  }

  const runInThreads = async (layout: Layout, inputs: ReadonlyArray<Float32Array>, output: Float32Array) => {
    if (lost !== null) throw lost
    copyIn(layout, threadsFrom, inputs)
    await threads.run(partsOf(layout, threadsFrom, threads.count))
    copyOut(layout, threadsFrom, output)
  }

  /** Large calls take turns: each has all threads and their part of the memory. */
  const inTurn = (call: () => Promise<void>): Promise<void> => {
    waiting++
    const turn = last.then(call).finally(() => waiting--)
    last = turn.catch(() => undefined)
    return turn
  }

  /** The place of a call that may run. */
  const placeOf = <P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ): Layout => {
    checkCall(kernel, params, inputs, output)
    if (lost !== null) throw lost
    const layout = layoutOf(kernel, params)
    if (layout === null) throw new RangeError(`${kernel.name}: ${memoryBytes} bytes of memory do not hold this call`)
    return layout
  }

  const isSmall = ({ bytes, cost }: Layout): boolean => cost <= inlineCostMax && bytes <= inlineBytesMax

  /** A trap or a dead thread: neither this memory nor this code can be relied on. */
  const lostBy = (name: string, cause: unknown): BackendLost =>
    lost ??= cause instanceof BackendLost ? cause : new BackendLost(`${name}: ${cause}`)

  const runHere = (layout: Layout, inputs: ReadonlyArray<Float32Array>, output: Float32Array): void => {
    try {
      copyIn(layout, inlineFrom, inputs)
      for (const part of partsOf(layout, inlineFrom, 1)) compute(instance, part)
      copyOut(layout, inlineFrom, output)
    } catch (cause) {
      throw lostBy(layout.name, cause)
    }
  }

  return {
    name: "wasm",
    device: `128-bit SIMD, ${threads.count} ${threads.count === 1 ? "thread" : "threads"}`,
    has: (kernel, params) => layoutOf(kernel, params) !== null,
    run: async (kernel, params, inputs, output) => {
      const layout = placeOf(kernel, params, inputs, output)
      if (isSmall(layout)) return runHere(layout, inputs, output)
      if (waiting >= waitingMax) throw new RangeError(`more than ${waitingMax} calls wait for kernel threads`)
      try {
        await inTurn(() => runInThreads(layout, inputs, output))
      } catch (cause) {
        throw lostBy(layout.name, cause)
      }
    },
    runNow: (kernel, params, inputs, output) => {
      const layout = placeOf(kernel, params, inputs, output)
      const small = isSmall(layout)
      if (small) runHere(layout, inputs, output)
      return small
    },
    close: () => {
      lost ??= new BackendLost("the WebAssembly backend was closed")
      threads.close()
    },
  }
}
