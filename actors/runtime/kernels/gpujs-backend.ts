/**
 * Kernels on gpu.js: for devices that it reaches and WebGPU does not.
 *
 * Owns the compiled functions and their turns. Boundary: the package is given as an argument, with the mode that works where this
 * runs; of the kernels it has those with a gpu.js form. In every mode but `webgpu` a call holds up this thread while it computes.
 */
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"

/** Of gpu.js' modes those that need no window: WebGPU, WebAssembly, plain JavaScript. */
export type GpuJsMode = "webgpu" | "webasm" | "cpu"

/** What is used of the package's class `GPU`. */
export interface GpuJs {
  createKernel(source: string, settings: Readonly<Record<string, unknown>>): GpuJsFunction
  destroy(): Promise<void>
}

interface GpuJsFunction {
  (...inputs: ReadonlyArray<Float32Array>): unknown
  setOutput(output: ReadonlyArray<number>): unknown
}

/** Sizes vary from call to call; the longest loop is over the tones or the inputs of one value. */
const settings = { dynamicOutput: true, dynamicArguments: true, precision: "single", loopMaxIterations: 1_000_000 }

export const createGpuJsBackend = (
  gpuOf: new (options: { readonly mode: GpuJsMode }) => GpuJs,
  mode: GpuJsMode,
): KernelBackend => {
  const gpu = new gpuOf({ mode })
  const functions = new Map<Kernel, GpuJsFunction>()
  let last: Promise<unknown> = Promise.resolve()

  /** gpu.js keeps one call's sizes in the function, so calls take turns. */
  const compute = async (
    kernel: Kernel,
    source: string,
    params: Params,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ): Promise<void> => {
    try {
      let compiled = functions.get(kernel)
      if (compiled === undefined) functions.set(kernel, compiled = gpu.createKernel(source, settings))
      compiled.setOutput([output.length])
      const result = await compiled(Float32Array.from(kernel.params, (name) => params[name]!), ...inputs)
      if (!(result instanceof Float32Array) || result.length !== output.length) throw new Error("no result")
      output.set(result)
    } catch (cause) {
      throw new BackendLost(`gpu.js (${mode}) cannot run ${kernel.name}: ${cause}`)
    }
  }

  return {
    name: "gpujs",
    device: mode,
    has: (kernel) => kernel.gpujs !== null,
    run: (kernel, params, inputs, output) => {
      const turn = last.then(() => {
        checkCall(kernel, params, inputs, output)
        if (kernel.gpujs === null) throw new RangeError(`${kernel.name} has no gpu.js form`)
        return compute(kernel, kernel.gpujs, params, inputs, output)
      })
      last = turn.catch(() => undefined)
      return turn
    },
    close: () => void gpu.destroy().catch(() => undefined),
  }
}
