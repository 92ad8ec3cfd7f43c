/**
 * The usual delay of a source: the least time from the end of a hop to its arrival, as far as it is not overload.
 *
 * Owns the difference between a hop that is old because it was on its way, or because its source's clock is a little wrong, and one that had to
 * wait. The estimate may grow slowly, because delays change. Pure but for its own state; times are milliseconds.
 */

/** A longer delay counts as late, whatever is usual. */
const usualMsMax = 1_000
/** Growth in milliseconds per millisecond: a network that became slower by 60 ms is usual after a minute. */
const growth = 1e-3

interface UsualDelay {
  /** Takes the delay of a hop that arrived at this time; returns the delay beyond the usual. */
  readonly beyond: (delayMs: number, nowMs: number) => number
  readonly reset: () => void
}

export const createUsualDelay = (): UsualDelay => {
  let leastMs = Infinity
  let lastMs = 0
  return {
    beyond: (delayMs, nowMs) => {
      leastMs = Math.min(delayMs, leastMs + growth * Math.max(0, nowMs - lastMs), usualMsMax)
      lastMs = nowMs
      return delayMs - leastMs
    },
    reset: () => void (leastMs = Infinity),
  }
}
