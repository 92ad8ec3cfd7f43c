/**
 * Detects whether a source provides phase.
 *
 * Some captures hold amplitudes only, as non-negative real numbers. Powers, and so presence, motion and breathing, do
 * not need phase. Without it alignment removes the gain only, and delays, angles and the sign of a Doppler shift are
 * unavailable.
 */

/** Whether a response (interleaved complex) has phase. */
export const hasPhase = (response: Float32Array): boolean => {
  for (let i = 0; i < response.length; i += 2) if (response[i + 1] !== 0 || response[i]! < 0) return true
  return false
}
