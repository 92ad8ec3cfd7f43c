/**
 * The checker of moves: judges how often groups of rooms were moved for their load. Pure.
 *
 * 1. A group that was moved stays for `restMs`.
 * 2. At most `movesMax` groups move within `roundMs`.
 */
import type { MovedGroup } from "./placement-table.ts"

interface MoveBounds {
  readonly restMs: number
  readonly roundMs: number
  readonly movesMax: number
}

/** What is wrong; empty: nothing. */
export const moveViolationsOf = (moves: ReadonlyArray<MovedGroup>, bounds: MoveBounds): ReadonlyArray<string> =>
  moves.flatMap(({ atMs, group }, i) => {
    const earlier = moves.slice(0, i)
    const last = earlier.findLast((move) => move.group === group)
    const inRound = earlier.filter((move) => atMs - move.atMs < bounds.roundMs).length + 1
    return [
      ...(last !== undefined && atMs - last.atMs < bounds.restMs
        ? [`${group} moved at ${last.atMs} and again at ${atMs}`]
        : []),
      ...(inRound > bounds.movesMax ? [`${inRound} groups moved within ${bounds.roundMs} ms before ${atMs}`] : []),
    ]
  })
