/**
 * The check of results: a backend that gives values which are not finite, where the reference gives finite ones, computes no longer.
 *
 * A device or a memory that is damaged fails no call. Its results would be stored as poses. Values that are not finite may also follow from the inputs
 * (foreign CSI), so the reference decides.
 */
import type { KernelStep } from "../../../core/kernels/kernel.ts"
import { BackendLost } from "./kernel-backend.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"

export const isFinite = (values: Float32Array): boolean => {
  // Zero, unless a value is not finite. An indexed sum without a branch costs 2 ns a value; `for of` costs 20.
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! - values[i]!
  return sum === 0
}

/** Why the results of a backend cannot be used; null: they can. */
export const damageOf = async (step: KernelStep): Promise<BackendLost | null> => {
  for (const { inputs, kernel, output, params } of step) {
    if (isFinite(output)) continue
    const expected = new Float32Array(output.length)
    await typedArraysBackend.run(kernel, params, inputs, expected)
    if (isFinite(expected)) return new BackendLost(`${kernel.name} gave values that are not finite`)
  }
  return null
}
