/**
 * Kernels on WebAssembly SIMD: small calls in the calling thread, large calls in threads that share the memory.
 *
 * Owns the use of the memory: one small call in the lower area, above it inputs that never change, and the large call in progress in the rest.
 * Boundary: the compiled module and the threads are arguments; the computations are in `core/kernels/wasm/assembly`.
 *
 * Invariants:
 * 1. A call blocks the calling thread for at most the time of `inlineCostMax` multiply-adds and of copying its arrays.
 * 2. A result does not depend on the number of threads.
 * 3. Only small calls use the inputs that are kept, so no thread reads one while it is replaced.
 */
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { KeptInputs } from "./kept-inputs.ts"
import { aligned, type Layout, layoutOf, partsOf } from "./wasm-layout.ts"
import {
  compute,
  instantiate,
  memoryBytes,
  type ModuleInstance,
  openProgram,
  type Part,
  type Program,
} from "./wasm-module.ts"

/**
 * Multiply-adds of a call that is computed in the calling thread: about 1 ms on a processor of 2023, 10 ms on a small one. The round trip
 * to a thread takes 0.02 ms, so a larger call loses almost nothing.
 */
const inlineCostMax = 16e6
/** Memory for calls in the calling thread. */
const inlineBytesMax = 8 * 1024 * 1024
/** Memory for inputs that never change: the weights of three networks, or the cells of forty rooms. */
const keptBytesMax = 8 * 1024 * 1024
/** Calls that wait for the threads. */
const waitingMax = 64

/** Threads that compute parts of a call. */
export interface KernelThreads {
  readonly count: number
  /** Computes at most `count` parts side by side. Rejects with `BackendLost` when a thread dies. */
  readonly run: (parts: ReadonlyArray<Part>) => Promise<void>
  readonly close: () => void
}

const isSmall = ({ bytes, cost }: Layout): boolean => cost <= inlineCostMax && bytes <= inlineBytesMax

class WasmBackend implements KernelBackend {
  readonly name = "wasm"
  readonly device: string
  readonly #instance: ModuleInstance
  readonly #threads: KernelThreads
  /** The whole memory. */
  readonly #values: Float32Array
  /** Addresses of the areas for small and for large calls. */
  readonly #inlineFrom: number
  readonly #threadsFrom: number
  readonly #kept: KeptInputs
  /** Settles when the last large call ends. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #lost: BackendLost | null = null

  constructor(program: Program, instance: ModuleInstance, threads: KernelThreads) {
    this.device = `128-bit SIMD, ${threads.count} ${threads.count === 1 ? "thread" : "threads"}`
    this.#instance = instance
    this.#threads = threads
    this.#values = new Float32Array(program.memory.buffer)
    this.#inlineFrom = aligned(instance.arena)
    const keptFrom = this.#inlineFrom + inlineBytesMax
    this.#kept = new KeptInputs(this.#values, keptFrom, keptBytesMax)
    this.#threadsFrom = keptFrom + keptBytesMax
  }

  /** A lost backend has every call, so that the next one shows the loss. */
  readonly has: KernelBackend["has"] = (kernel, params) => {
    try {
      return this.#lost !== null || this.#layoutOf(kernel, params) !== null
    } catch {
      return true
    }
  }

  readonly run: KernelBackend["run"] = async (kernel, params, inputs, output) => {
    const layout = this.#checkedLayout(kernel, params, inputs, output)
    if (isSmall(layout)) return this.#runInline(layout, inputs, output)
    if (this.#waiting >= waitingMax) throw new RangeError(`more than ${waitingMax} calls wait for kernel threads`)
    try {
      await this.#inTurn(() => this.#runInThreads(layout, inputs, output))
    } catch (cause) {
      throw this.#lostBy(layout.name, cause)
    }
  }

  readonly runNow: NonNullable<KernelBackend["runNow"]> = (kernel, params, inputs, output, fixed) => {
    const layout = this.#checkedLayout(kernel, params, inputs, output)
    const small = isSmall(layout)
    if (small) this.#runInline(layout, inputs, output, fixed)
    return small
  }

  readonly close = (): void => {
    this.#lost ??= new BackendLost("the WebAssembly backend was closed")
    this.#threads.close()
  }

  /** The layout of a call, from the module, which may trap. */
  #layoutOf<P extends Params>(kernel: Kernel<P>, params: P): Layout | null {
    // These throw for parameters that the kernel does not accept, which are no fault of the backend.
    kernel.inputs(params)
    kernel.output(params)
    try {
      return layoutOf(this.#instance.exports, kernel, params, this.#threads.count, memoryBytes - this.#threadsFrom)
    } catch (cause) {
      throw this.#lostBy(kernel.name, cause)
    }
  }

  /** The layout of a valid call. Throws when the call does not fit the memory or the backend is lost. */
  #checkedLayout<P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ): Layout {
    checkCall(kernel, params, inputs, output)
    if (this.#lost !== null) throw this.#lost
    const layout = this.#layoutOf(kernel, params)
    if (layout === null) {
      throw new RangeError(`${kernel.name}: the call does not fit the memory of ${memoryBytes} bytes`)
    }
    return layout
  }

  #runInline(
    layout: Layout,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
    fixed?: ReadonlyArray<number>,
  ): void {
    try {
      const arrays = this.#copyIn(layout, this.#inlineFrom, inputs, fixed)
      for (const part of partsOf(layout, this.#inlineFrom, arrays, 1)) compute(this.#instance, part)
      this.#copyOut(layout, this.#inlineFrom, output)
    } catch (cause) {
      throw this.#lostBy(layout.name, cause)
    }
  }

  async #runInThreads(layout: Layout, inputs: ReadonlyArray<Float32Array>, output: Float32Array): Promise<void> {
    if (this.#lost !== null) throw this.#lost
    const arrays = this.#copyIn(layout, this.#threadsFrom, inputs)
    await this.#threads.run(partsOf(layout, this.#threadsFrom, arrays, this.#threads.count))
    this.#copyOut(layout, this.#threadsFrom, output)
  }

  /** Large calls take turns: each uses all threads and their area of the memory. */
  #inTurn(call: () => Promise<void>): Promise<void> {
    this.#waiting++
    const turn = this.#last.then(call).finally(() => this.#waiting--)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Copies the inputs that are not kept; returns the addresses of all arrays. */
  #copyIn(
    layout: Layout,
    from: number,
    inputs: ReadonlyArray<Float32Array>,
    fixed: ReadonlyArray<number> = [],
  ): ReadonlyArray<number> {
    const kept = this.#kept.addressesOf(fixed.map((i) => inputs[i]!))
    return layout.arrays.map((at, i) => {
      const place = kept[fixed.indexOf(i)]
      if (place !== undefined) return place
      if (i < inputs.length) this.#values.set(inputs[i]!, (from + at) / 4)
      return from + at
    })
  }

  #copyOut(layout: Layout, from: number, output: Float32Array): void {
    const at = (from + layout.arrays.at(-1)!) / 4
    output.set(this.#values.subarray(at, at + output.length))
  }

  /** Marks the backend as lost after a trap or the death of a thread: its memory and code are no longer reliable. */
  #lostBy(name: string, cause: unknown): BackendLost {
    return this.#lost ??= cause instanceof BackendLost ? cause : new BackendLost(`${name}: ${cause}`)
  }
}

/** Compiles the module and starts its threads. Rejects when the runtime has no relaxed SIMD or no shared memory. */
export const createWasmBackend = async (
  bytes: Uint8Array,
  startThreads: (program: Program) => Promise<KernelThreads>,
): Promise<KernelBackend> => {
  const program = openProgram(bytes)
  const instance = instantiate(program)
  return new WasmBackend(program, instance, await startThreads(program))
}
