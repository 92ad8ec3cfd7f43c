/**
 * Phase: whether a source gives one.
 *
 * Some captures hold amplitudes alone, as real numbers that are not negative. Powers, and so presence, motion and breathing, are all in
 * them; alignment has nothing to undo but the gain, and delays, angles and the sign of a Doppler shift are not to be told.
 */

/** Whether a response (interleaved complex) is more than amplitudes. */
export const hasPhase = (response: Float32Array): boolean => {
  for (let i = 0; i < response.length; i += 2) if (response[i + 1] !== 0 || response[i]! < 0) return true
  return false
}
