/**
 * The usual delay of a source: the least time from the end of a hop to its arrival, at most `usualMsMax`.
 *
 * Transmission and an inaccurate clock of the source cause the usual delay; a delay beyond it means that the hop had to wait. The estimate
 * falls at once and rises slowly, because delays change. Pure except for its own state; times are milliseconds.
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
