/** What an environment's check of antennas and geometry says, as sentences for operators that name the nodes. */
import type { EnvironmentStatus } from "./system.ts"

type Arrays = EnvironmentStatus["arrays"]

/** One sentence for each node that persons are located without; empty while nobody can be located. */
export const leftOutFindingsOf = ({ misplaced, stopped, uncalibrated }: Arrays): ReadonlyArray<string> =>
  stopped !== null ? [] : [
    ...misplaced.map((node) => `${contradiction(node)}, so persons are located without it.`),
    ...uncalibrated.map((receiver) =>
      `The antennas of ${receiver} are not calibrated in phase, and it receives too few nodes with known positions to ` +
      "calibrate them, so persons are located without what it receives."
    ),
  ]

const contradiction = (node: string): string =>
  `The links of ${node} contradict its position, the direction of its array, or its id`

/** One sentence per finding; empty if antennas and geometry agree. */
export const arrayFindingsOf = (arrays: Arrays): ReadonlyArray<string> => {
  const { misplaced, selfCalibrated, stopped } = arrays
  return [
    ...(stopped === null ? [] : [stopped, ...misplaced.map((node) => `${contradiction(node)}.`)]),
    ...leftOutFindingsOf(arrays),
    ...(selfCalibrated.length === 0 ? [] : [
      `The antennas of ${selfCalibrated.join(", ")} are not calibrated in phase; the static paths calibrate them.`,
    ]),
  ]
}
