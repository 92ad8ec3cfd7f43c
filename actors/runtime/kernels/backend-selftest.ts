/**
 * The test of a backend: a kernel's result on a sample, compared with the reference.
 */
import type { Kernel, Params } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"
import type { Uniform } from "../../../core/kernels/samples.ts"

/** Normalised rms error: the rms error over the rms of the expected values; the rms error itself where those are all zero. */
export const nrmse = (actual: Float32Array, expected: Float32Array): number => {
  let error = 0
  let power = 0
  for (let i = 0; i < expected.length; i++) {
    error += (actual[i]! - expected[i]!) ** 2
    power += expected[i]! ** 2
  }
  return Math.sqrt(error / (power > 0 ? power : expected.length))
}

/** A call of a kernel with the expected result of the reference. */
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

/** Normalised rms error of a backend; NaN when it left a value unset. */
export const judge = async <P extends Params>(
  backend: KernelBackend,
  kernel: Kernel<P>,
  { expected, inputs, params }: Judgement<P>,
): Promise<number> => {
  const output = new Float32Array(expected.length).fill(Number.NaN)
  await backend.run(kernel, params, inputs, output)
  return nrmse(output, expected)
}
