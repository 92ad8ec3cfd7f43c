/**
 * Kernels as their references, here and now: the last resort, which every runtime has and nothing can take away.
 *
 * A call holds up whatever else runs in this thread.
 */
import { checkCall } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"

export const typedArraysBackend: KernelBackend = {
  name: "typed-arrays",
  device: "float64",
  has: () => true,
  // Async, so that a call that is refused rejects.
  run: async (kernel, params, inputs, output) => {
    checkCall(kernel, params, inputs, output)
    await kernel.reference(params, inputs, output)
  },
  close: () => {},
}
