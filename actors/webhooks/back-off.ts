/**
 * When a delivery that failed is tried again. A formula and not a schedule of a fiber: tries are counted in the store, so that a node
 * that takes over goes on where the last one was.
 */

const firstMs = 5_000
const longestMs = 3_600_000
/** Endpoints that failed together are not tried together. */
const jitter = 0.2

/**
 * Milliseconds until the next try: 5 s, doubled by each failure up to an hour, give or take a fifth.
 *
 * @param failures tries that failed, 1 or more
 * @param random uniform in 0..1
 */
export const backOffMs = (failures: number, random: number): number =>
  Math.round(Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - jitter + 2 * jitter * random))
