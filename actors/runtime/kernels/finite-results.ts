/**
 * The check of results: a backend that returns non-finite values where the reference returns finite ones is no longer used.
 *
 * Calls on a damaged device or memory do not fail, and their results would be stored as poses. Non-finite values may also follow from the
 * inputs (foreign CSI), so the reference decides.
 */
import type { KernelStep } from "../../../core/kernels/kernel.ts"
import { BackendLost } from "./kernel-backend.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"

/** Exponent bits of a float32, all set in infinities and NaN; and the lowest of them, with which these carry into the sign. */
const exponentBits = 0x7f800000
const exponentLowest = 0x00800000

export const isFinite = (values: Float32Array): boolean => {
  // Whole numbers: a sum of the values is allocated anew for each value until the code is optimised, which cost 15 ns a value in some runs.
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length)
  let carries = 0
  for (let i = 0; i < bits.length; i++) carries |= (bits[i]! & exponentBits) + exponentLowest
  return carries >= 0
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
