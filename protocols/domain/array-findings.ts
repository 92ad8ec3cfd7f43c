/** What an environment's check of antennas and geometry says, as sentences for operators that name the nodes. */
import type { EnvironmentStatus } from "./system.ts"

/** One sentence per finding; empty if antennas and geometry agree. */
export const arrayFindingsOf = ({ misplaced, selfCalibrated, stopped }: EnvironmentStatus["arrays"]): ReadonlyArray<
  string
> => [
  ...(stopped === null ? [] : [stopped]),
  ...misplaced.map((node) =>
    `The links of ${node} contradict its position, the direction of its array, or its id${
      stopped === null ? ", so persons are located without it" : ""
    }.`
  ),
  ...(selfCalibrated.length === 0 ? [] : [
    `The antennas of ${selfCalibrated.join(", ")} are not calibrated in phase; the static paths calibrate them.`,
  ]),
]
