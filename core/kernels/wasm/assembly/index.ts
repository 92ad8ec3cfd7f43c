/**
 * The exports of the module: for each kernel its computation, and the sizes that the host needs to call it.
 *
 * A kernel `x` has four exports. `x(params..., inputs..., output, work, begin, end)` computes the units from `begin` to before `end`;
 * arrays are given by their addresses. `xUnits(params...)` is the number of units, parts of the output that do not depend on each
 * other; `xWork(params...)` the bytes of memory that each call needs at `work`; `xCost(params...)` its cost, in float32
 * multiply-adds of the same duration. Sizes and addresses are unsigned. Every array is followed by 256 bytes that may be read and written, so that loops can
 * process whole vectors; these bytes never affect a result.
 */
export { fillTables, tablesEnd } from "./fourier.ts"
export { fft, fftCost, fftUnits, fftWork } from "./fft.ts"
export { complexGemm, complexGemmCost, complexGemmUnits, complexGemmWork } from "./complex-gemm.ts"
export { backProjection, backProjectionCost, backProjectionUnits, backProjectionWork } from "./back-projection.ts"
export { matchedField, matchedFieldCost, matchedFieldUnits, matchedFieldWork } from "./matched-field.ts"
export { dense, denseCost, denseUnits, denseWork } from "./dense.ts"
export { steeredSpectra, steeredSpectraCost, steeredSpectraUnits, steeredSpectraWork } from "./steered-spectra.ts"
export { attentionPool, attentionPoolCost, attentionPoolUnits, attentionPoolWork } from "./attention-pool.ts"
