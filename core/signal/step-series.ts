/** Series over time steps for `resample.ts`: gaps, interpolation over them, and decimation by two. */

/**
 * Half of a half-band low-pass for decimation by two: a Hamming-windowed sinc that passes to 0.2 and stops from 0.3 of
 * the input's rate.
 */
const halfBand = Float64Array.from({ length: 16 }, (_, n) => {
  const ideal = n === 0 ? 0.5 : Math.sin(Math.PI * n / 2) / (Math.PI * n)
  return ideal * (0.54 + 0.46 * Math.cos(Math.PI * n / 16))
})
/** Share of the input's rate up to which decimation preserves a series. */
export const passShare = 0.2

/** Variance of a series. */
export const varianceOf = (series: Float64Array): number => {
  let mean = 0
  for (const value of series) mean += value / series.length
  let variance = 0
  for (const value of series) variance += (value - mean) ** 2 / series.length
  return variance
}

/** Longest run of steps without a packet. */
export const longestGap = (counts: Uint32Array): number => {
  let gap = 0
  let longest = 0
  for (const count of counts) {
    gap = count > 0 ? 0 : gap + 1
    if (gap > longest) longest = gap
  }
  return longest
}

/** Every second step behind the half-band filter; the ends are extended by their last values. */
export const decimated = (series: Float64Array): Float64Array => {
  const reach = halfBand.length
  const padded = new Float64Array(series.length + 2 * reach)
  padded.fill(series[0]!, 0, reach)
  padded.set(series, reach)
  padded.fill(series[series.length - 1]!, reach + series.length)
  const out = new Float64Array(series.length >> 1)
  for (let i = 0; i < out.length; i++) {
    const at = reach + 2 * i
    let sum = halfBand[0]! * padded[at]!
    for (let n = 1; n < reach; n += 2) sum += halfBand[n]! * (padded[at - n]! + padded[at + n]!)
    out[i] = sum
  }
  return out
}

/** Interpolates the steps without a packet linearly between their neighbours; the ends take the nearest value. */
export const bridge = (series: Float64Array, counts: Uint32Array): void => {
  let before = -1
  for (let i = 0; i <= series.length; i++) {
    if (i < series.length && counts[i] === 0) continue
    for (let gap = before + 1; gap < i; gap++) {
      const left = before < 0 ? series[i]! : series[before]!
      const right = i === series.length ? left : series[i]!
      const part = before < 0 ? 0 : (gap - before) / (i - before)
      series[gap] = left + part * (right - left)
    }
    before = i
  }
}
