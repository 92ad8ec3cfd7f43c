/** Runs a computation on one backend, call by call; the service's way, with its bounds and its choice of backends, is `kernels.ts`. */
import type { Computation } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"

export const computeOn = async <A>(backend: KernelBackend, computation: Computation<A>): Promise<A> => {
  let step = computation.next()
  while (step.done !== true) {
    for (const { inputs, kernel, output, params } of step.value) await backend.run(kernel, params, inputs, output)
    step = computation.next()
  }
  return step.value
}
