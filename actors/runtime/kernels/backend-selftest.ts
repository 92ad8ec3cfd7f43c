/**
 * Judges a backend: a kernel's result on a sample against the reference.
 */
import type { Kernel, Params } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"
import type { Uniform } from "../../../core/kernels/samples.ts"

/** Root of the mean squared error over the root of the mean square of what is expected; the error itself where that is zero. */
export const nrmse = (actual: Float32Array, expected: Float32Array): number => {
  let error = 0
  let power = 0
  for (let i = 0; i < expected.length; i++) {
    error += (actual[i]! - expected[i]!) ** 2
    power += expected[i]! ** 2
  }
  return Math.sqrt(error / (power > 0 ? power : expected.length))
}

/** A call of a kernel, and what the reference says about it. */
export interface Judgement<P extends Params = Params> {
  readonly params: P
  readonly inputs: ReadonlyArray<Float32Array>
  readonly expected: Float32Array
}

export const judgementOf = <P extends Params>(kernel: Kernel<P>, params: P, random: Uniform): Judgement<P> => {
  const inputs = kernel.sample(params, random)
  const expected = new Float32Array(kernel.output(params))
  kernel.reference(params, inputs, expected)
  return { params, inputs, expected }
}

/** Normalised rms error of a backend; not finite when a value is missing. */
export const judge = async <P extends Params>(
  backend: KernelBackend,
  kernel: Kernel<P>,
  { expected, inputs, params }: Judgement<P>,
): Promise<number> => {
  const output = new Float32Array(expected.length).fill(Number.NaN)
  await backend.run(kernel, params, inputs, output)
  return nrmse(output, expected)
}
