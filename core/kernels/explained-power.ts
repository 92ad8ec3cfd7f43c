/**
 * The share of a link's moving energy that a point explains, from a table over path lengths.
 *
 * Owns the layout of the table and of a point's cell, and the look-up, which is the innermost step of the room image.
 * If alignment removed most of a direction, a link has little information about it. The share is then pulled towards that
 * of a typical walker, with the weight of `remainderWeight` of a whole direction. Otherwise positions on a link's line of
 * sight, which alignment removes, would score too low.
 *
 * A table is [entry][value][2], float32: for each path length the value at antenna lag 0, then (re, im) of each higher
 * lag. The first of the two is the matched energy over the link's moving energy, the second the steering vector's own
 * energy in the space that alignment leaves, both divided by the antennas. A cell is [4]: position in the table,
 * e^{-j pi cosArrival} (re, im), ln((d1 d2 / d0)^2).
 */

/** Per path length: the power at lag 0, then (re, im) of every higher antenna lag. */
export type LagTable = Float64Array

/** Weight of the prior, in whole directions, and the share of a typical walker. Both are from simulated walks. */
export const remainderWeight = 0.1
export const typicalShare = 0.8

/** Upper limit of a share, so that its logarithm stays finite. */
export const shareMax = 0.999

/** The points as seen from a link, one cell each. */
export type Cells = Float32Array

export type ShareTable = Float32Array

/** The table of a link from the tables of its energy and of its steering vectors' energy. */
export const createShareTable = (matched: LagTable, left: LagTable, energy: number, antennas: number): ShareTable => {
  const table = new Float32Array(2 * matched.length)
  for (let i = 0; i < matched.length; i++) {
    table[2 * i] = matched[i]! / (energy * antennas)
    table[2 * i + 1] = left[i]! / antennas
  }
  return table
}

/**
 * The share of the point whose cell begins at `at` of `cells`.
 *
 * @param antennas number of antenna lags in the table
 * @param prior `remainderWeight` times the share of a typical walker in this link's energy
 */
export const shareAt = (table: ShareTable, antennas: number, prior: number, cells: Cells, at: number): number => {
  const width = 2 * (2 * antennas - 1)
  const place = cells[at]!
  const entry = Math.floor(place)
  const rest = place - entry
  const low = entry * width
  const high = low + width
  let matched = (1 - rest) * table[low]! + rest * table[high]!
  let left = (1 - rest) * table[low + 1]! + rest * table[high + 1]!
  const stepRe = cells[at + 1]!
  const stepIm = cells[at + 2]!
  let re = 2 * stepRe
  let im = 2 * stepIm
  for (let i = 2; i < width; i += 4) {
    matched += re * ((1 - rest) * table[low + i]! + rest * table[high + i]!) -
      im * ((1 - rest) * table[low + i + 2]! + rest * table[high + i + 2]!)
    left += re * ((1 - rest) * table[low + i + 1]! + rest * table[high + i + 1]!) -
      im * ((1 - rest) * table[low + i + 3]! + rest * table[high + i + 3]!)
    const next = re * stepRe - im * stepIm
    im = re * stepIm + im * stepRe
    re = next
  }
  return Math.min(shareMax, (Math.max(0, matched) + prior) / (Math.max(0, left) + remainderWeight))
}
