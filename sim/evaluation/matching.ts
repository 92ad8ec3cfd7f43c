/**
 * Matching: the assignment of estimates to true persons.
 *
 * Owns the exact best pairing of a few persons with any number of candidates, by dynamic programming over the subsets of the
 * persons. A room has few persons, and pairs without value may stay unmatched, for which a row-to-column assignment would need
 * dummies. Boundary: the caller defines the value of a pair.
 */
import { floorDistanceM } from "./record.ts"

/** Largest number of persons in one room: there are 2^persons subsets. */
export const personsMax = 12

/**
 * Pairs with the greatest total worth, each person and candidate in at most one pair; only pairs with positive worth are made.
 *
 * @returns the candidate of each person, -1 for none
 * @throws RangeError for more than `personsMax` persons
 */
export const bestPairs = (
  persons: number,
  candidates: number,
  worth: (person: number, candidate: number) => number,
): Int32Array => {
  if (persons > personsMax) {
    throw new RangeError(
      `${persons} persons in a room, but at most ${personsMax} can be matched; use a scene with fewer persons`,
    )
  }
  const subsets = 1 << persons
  const candidateOf = new Int32Array(persons).fill(-1)
  if (persons === 0 || candidates === 0) return candidateOf
  /** Greatest worth of the first candidates with exactly the persons of a subset; `taken` has the person of the last candidate. */
  let best = new Float64Array(subsets).fill(-Infinity)
  best[0] = 0
  const taken = new Int8Array(subsets * candidates).fill(-1)
  for (let candidate = 0; candidate < candidates; candidate++) {
    const next = best.slice()
    for (let person = 0; person < persons; person++) {
      const value = worth(person, candidate)
      if (!(value > 0)) continue
      const bit = 1 << person
      for (let subset = bit; subset < subsets; subset++) {
        if ((subset & bit) === 0 || !(best[subset ^ bit]! + value > next[subset]!)) continue
        next[subset] = best[subset ^ bit]! + value
        taken[candidate * subsets + subset] = person
      }
    }
    best = next
  }
  let subset = best.reduce((top, value, at) => value > best[top]! ? at : top, 0)
  for (let candidate = candidates - 1; candidate >= 0; candidate--) {
    const person = taken[candidate * subsets + subset]!
    if (person < 0) continue
    candidateOf[person] = candidate
    subset ^= 1 << person
  }
  return candidateOf
}

/** Anything with a skeleton. */
interface Placed {
  readonly keypoints: ArrayLike<number>
}

/** Worth of a match before its distance: above any distance in a room, so that more pairs are preferred to nearer pairs. */
const pairWorth = 1000

/**
 * The estimate of each true person within a gate on the floor plan: as many pairs as possible, with the least total distance.
 *
 * @returns the index of the estimate, -1 for a missed person
 */
export const matchPersons = (
  truth: ReadonlyArray<Placed>,
  estimates: ReadonlyArray<Placed>,
  gateM: number,
): Int32Array =>
  bestPairs(truth.length, estimates.length, (person, candidate) => {
    const distanceM = floorDistanceM(truth[person]!.keypoints, estimates[candidate]!.keypoints)
    return distanceM <= gateM ? pairWorth - distanceM : 0
  })
