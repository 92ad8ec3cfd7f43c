/**
 * How far a mean over recordings would vary with other recordings like these: the 95 % interval of a bootstrap over
 * recordings. Those of one room are alike, so with few rooms the interval is too narrow.
 */
import { type Interval, quantile, replicatesDefault, tail } from "../../../sim/evaluation/bootstrap.ts"
import type { Random } from "../../../sim/randomness/random.ts"

const valuesMin = 2

/** The interval of the mean of the values that are not null; null with fewer than two. */
export const meanInterval = (values: ReadonlyArray<number | null>, random: Random): Interval | null => {
  const known = values.filter((value) => value !== null)
  if (known.length < valuesMin) return null
  const means = new Float64Array(replicatesDefault)
  for (let round = 0; round < means.length; round++) {
    let sum = 0
    for (let i = 0; i < known.length; i++) sum += known[Math.floor(random.uniform() * known.length)]!
    means[round] = sum / known.length
  }
  means.sort()
  return [quantile(means, tail), quantile(means, 1 - tail)]
}
