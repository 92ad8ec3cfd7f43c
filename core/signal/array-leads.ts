/**
 * Leads: by how much each receive antenna leads the one before it on the direct path of a static response.
 *
 * The response has no bulk delay, so the sum over tones emphasises the strongest path: within a room the direct one.
 */

/**
 * The leads of the first transmit stream, radians, one fewer than antennas.
 *
 * @param response interleaved complex [rx][tx][tone]
 */
export const arrayLeads = (
  response: Float32Array,
  receiveAntennas: number,
  transmitAntennas: number,
  tones: number,
): Float32Array => {
  const leads = new Float32Array(Math.max(0, receiveAntennas - 1))
  let beforeRe = 0
  let beforeIm = 0
  for (let rx = 0; rx < receiveAntennas; rx++) {
    const row = 2 * rx * transmitAntennas * tones
    let re = 0
    let im = 0
    for (let k = 0; k < tones; k++) {
      re += response[row + 2 * k]!
      im += response[row + 2 * k + 1]!
    }
    if (rx > 0) leads[rx - 1] = Math.atan2(im * beforeRe - re * beforeIm, re * beforeRe + im * beforeIm)
    beforeRe = re
    beforeIm = im
  }
  return leads
}
