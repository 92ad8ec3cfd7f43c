/**
 * The list of kernels: backends provide them, the start tests them, and the conformance suite runs them.
 */
import { align } from "./align.ts"
import { attentionPool } from "./attention-pool.ts"
import { backProjection } from "./back-projection.ts"
import { complexGemm } from "./complex-gemm.ts"
import { conv1d } from "./conv1d.ts"
import { dense } from "./dense.ts"
import { fft } from "./fft.ts"
import type { Kernel } from "./kernel.ts"
import { layerNorm } from "./layer-norm.ts"
import { matchedField } from "./matched-field.ts"
import { steeredSpectra } from "./steered-spectra.ts"
import { stft } from "./stft.ts"

export const kernels: ReadonlyArray<Kernel> = [
  align,
  complexGemm,
  fft,
  stft,
  backProjection,
  matchedField,
  steeredSpectra,
  dense,
  conv1d,
  layerNorm,
  attentionPool,
]
