/**
 * The delay before a failed delivery is retried. It is a formula rather than a fiber's schedule: attempts are counted in the store, so that
 * another node can continue after a failover.
 */

const firstMs = 5_000
const longestMs = 3_600_000
/** Spreads the retries of endpoints that failed together. */
const jitter = 0.2

/**
 * Milliseconds until the next attempt: 5 s, doubled by each failure up to an hour, with a jitter of 20 %.
 *
 * @param failures failed attempts, 1 or more
 * @param random uniform in 0..1
 */
export const backOffMs = (failures: number, random: number): number =>
  Math.round(Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter + 2 * jitter * random))
