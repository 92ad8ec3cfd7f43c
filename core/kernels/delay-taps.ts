/**
 * Delay taps: computes the channel at given delays from the channel over subcarriers.
 *
 * A response H [row][subcarrier] times the matrix of this file gives the taps [row][delay] (kernel `complex-gemm`): the
 * matched filter h(tau) = mean over k of H(k) e^{j 2 pi k df tau}, which is 1 at the delay of an echo of amplitude 1.
 */

/** The matrix [subcarrier][delay], interleaved complex. */
export const delayMatrix = (
  subcarrierIndices: Int16Array,
  subcarrierSpacingHz: number,
  delaysS: ReadonlyArray<number>,
): Float32Array => {
  const tones = subcarrierIndices.length
  const matrix = new Float32Array(2 * tones * delaysS.length)
  for (let i = 0, at = 0; i < tones; i++) {
    for (const delayS of delaysS) {
      const phase = 2 * Math.PI * subcarrierIndices[i]! * subcarrierSpacingHz * delayS
      matrix[at++] = Math.cos(phase) / tones
      matrix[at++] = Math.sin(phase) / tones
    }
  }
  return matrix
}
