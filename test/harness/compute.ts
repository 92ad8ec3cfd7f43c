/** Runs a computation at once, its kernels by their references. */
import type { Computation } from "../../core/kernels/kernel.ts"

export const compute = <A>(computation: Computation<A>): A => {
  let step = computation.next()
  while (step.done !== true) {
    const { inputs, kernel, params } = step.value
    const output = new Float32Array(kernel.output(params))
    kernel.reference(params, inputs, output)
    step = computation.next(output)
  }
  return step.value
}
