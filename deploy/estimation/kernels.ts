/**
 * The kernels of the evaluation. They run in the thread of the caller, so that each worker runs one sequence
 * and a result depends on its inputs only.
 */
import { computeOn } from "../../actors/runtime/kernels/compute-on.ts"
import { loadKernelModule } from "../../actors/runtime/kernels/kernel-module.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import type { KernelBackend } from "../../actors/runtime/kernels/kernel-backend.ts"
import { typedArraysBackend } from "../../actors/runtime/kernels/typed-arrays-backend.ts"
import { compute, instantiate } from "../../actors/runtime/kernels/wasm-module.ts"
import { createWasmBackend, type KernelThreads } from "../../actors/runtime/kernels/wasm-backend.ts"

export const kernelChoices = ["wasm", "typed-arrays"] as const
export type EvaluationKernels = typeof kernelChoices[number]

/** Runs a computation to its end. */
export type Compute = <A>(computation: Computation<A>) => Promise<A>

const openBackend = async (choice: EvaluationKernels): Promise<KernelBackend> => {
  if (choice === "typed-arrays") return typedArraysBackend
  const { bytes } = await loadKernelModule()
  return createWasmBackend(bytes, (program) => {
    const instance = instantiate(program)
    const here: KernelThreads = {
      count: 1,
      run: (parts) => {
        for (const part of parts) compute(instance, part)
        return Promise.resolve()
      },
      close: () => {},
    }
    return Promise.resolve(here)
  })
}

/** Opens the kernels. Rejects if the machine does not support them. */
export const openKernels = async (choice: EvaluationKernels): Promise<Compute> => {
  const backend = await openBackend(choice)
  return (computation) => computeOn(backend, computation)
}
