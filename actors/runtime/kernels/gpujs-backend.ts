/**
 * Kernels on gpu.js, for devices that WebGPU does not support.
 *
 * Owns the compiled functions and the order of their calls. Boundary: the package and its mode are arguments. The backend has the kernels with a
 * gpu.js form. In every mode except `webgpu` a call blocks the calling thread.
 */
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"

/** The modes of gpu.js that do not need a browser window: WebGPU, WebAssembly, plain JavaScript. */
export type GpuJsMode = "webgpu" | "webasm" | "cpu"

/** The used part of the package's class `GPU`. */
export interface GpuJs {
  createKernel(source: string, settings: Readonly<Record<string, unknown>>): GpuJsFunction
  destroy(): Promise<void>
}

interface GpuJsFunction {
  (...inputs: ReadonlyArray<Float32Array>): unknown
  setOutput(output: ReadonlyArray<number>): unknown
}

/** Sizes vary between calls. The longest loop runs over the tones or the inputs of one value. */
const settings = { dynamicOutput: true, dynamicArguments: true, precision: "single", loopMaxIterations: 1_000_000 }

/** Largest output whose indices are exact after a division in float32. */
const valuesMax = 2 ** 21

export const createGpuJsBackend = (
  gpuOf: new (options: { readonly mode: GpuJsMode }) => GpuJs,
  mode: GpuJsMode,
): KernelBackend => {
  const gpu = new gpuOf({ mode })
  const functions = new Map<Kernel, GpuJsFunction>()
  let last: Promise<unknown> = Promise.resolve()

  /** A compiled function holds the sizes of one call, so calls take turns. */
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
    has: (kernel, params) => kernel.gpujs !== null && kernel.output(params) <= valuesMax,
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
