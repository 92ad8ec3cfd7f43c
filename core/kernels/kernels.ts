/**
 * The lists of kernels: backends provide them, and the conformance suite runs them.
 */
import { attentionPool } from "./attention-pool.ts"
import { backProjection } from "./back-projection.ts"
import { complexGemm } from "./complex-gemm.ts"
import { dense } from "./dense.ts"
import { fft } from "./fft.ts"
import type { Kernel } from "./kernel.ts"
import { matchedField } from "./matched-field.ts"
import { steeredSpectra } from "./steered-spectra.ts"

/** Kernels that the service calls; the start tests them. */
export const kernels: ReadonlyArray<Kernel> = [matchedField, steeredSpectra, dense, attentionPool]

/** Kernels that only the benches call, to compare the backends with numeric libraries. */
export const benchKernels: ReadonlyArray<Kernel> = [complexGemm, fft, backProjection]
