/**
 * Power outliers: the Hampel identifier over the total power of packets.
 *
 * A packet is flagged when its power is further than 3 x 1.4826 x MAD from the median of the last 11 packets, itself
 * included. Flagged packets enter the window too, so a lasting step of the receiver's gain is accepted after 6 packets.
 */

const windowLength = 11
/** 1.4826 x MAD estimates the standard deviation of normal noise. */
const threshold = 3 * 1.4826
/** Smallest MAD, relative to the median: below it the spread is quantisation, not noise. */
const relativeMadMin = 0.1

/** The last powers of one link. */
interface HampelState {
  readonly powers: Float64Array
  count: number
}

export const createHampelState = (): HampelState => ({ powers: new Float64Array(windowLength), count: 0 })

const sorted = new Float64Array(windowLength)

/** Adds the next packet's power and returns whether it is an outlier; false until the window is full. */
export const isPowerOutlier = (state: HampelState, power: number): boolean => {
  state.powers[state.count % windowLength] = power
  state.count++
  if (state.count < windowLength) return false
  const middle = windowLength >> 1
  sorted.set(state.powers)
  const median = sorted.sort()[middle]!
  for (let i = 0; i < windowLength; i++) sorted[i] = Math.abs(state.powers[i]! - median)
  const mad = sorted.sort()[middle]!
  return Math.abs(power - median) > threshold * Math.max(mad, relativeMadMin * median)
}
