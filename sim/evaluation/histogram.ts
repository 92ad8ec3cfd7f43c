/**
 * Histograms: values counted in bins of equal width, so that sums give the quantiles of many sequences.
 */

export interface Bins {
  /** Lower edge of the first bin. */
  readonly from: number
  readonly width: number
  /** Number of bins; values beyond either end are counted in the outermost bin. */
  readonly count: number
}

export const countIn = (bins: Bins, counts: Float64Array, value: number): void => {
  const bin = Math.max(0, Math.min(bins.count - 1, Math.floor((value - bins.from) / bins.width)))
  counts[bin] = counts[bin]! + 1
}

/** The quantile of a share, with values spread evenly within a bin; null without values. */
export const quantileOf = (bins: Bins, counts: ArrayLike<number>, share: number): number | null => {
  let total = 0
  for (let i = 0; i < bins.count; i++) total += counts[i]!
  if (!(total > 0)) return null
  const wanted = share * total
  let below = 0
  for (let i = 0; i < bins.count; i++) {
    const here = counts[i]!
    if (here > 0 && below + here >= wanted) return bins.from + (i + (wanted - below) / here) * bins.width
    below += here
  }
  return bins.from + bins.count * bins.width
}
