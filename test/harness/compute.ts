/** Runs a computation at once, its kernels by their references. */
import type { Computation } from "../../core/kernels/kernel.ts"

export const compute = <A>(computation: Computation<A>): A => {
  let step = computation.next()
  while (step.done !== true) {
    for (const { inputs, kernel, output, params } of step.value) kernel.reference(params, inputs, output)
    step = computation.next()
  }
  return step.value
}
