/**
 * The references of the kernels as a backend: the last resort, which every runtime has and which cannot be lost.
 *
 * A call blocks the calling thread.
 */
import { checkCall } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"

export const typedArraysBackend: KernelBackend = {
  name: "typed-arrays",
  device: "float64",
  has: () => true,
  // Async, so that an invalid call rejects instead of throwing.
  run: async (kernel, params, inputs, output) => {
    checkCall(kernel, params, inputs, output)
    await kernel.reference(params, inputs, output)
  },
  close: () => {},
}
