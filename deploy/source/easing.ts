/**
 * Easing: how a simulation keeps its pace when the processor is short, before it leaves hops out (`play.ts`).
 *
 * It makes fewer packets, which cost it and its node less, and sends several hops at once, because a hop costs its node as much for its messages
 * as for its packets. A hop with half of the packets, 0.3 s later, still shows a fall, which lasts half a second. With a third of them only
 * half of the falls are seen, and in a gap of half a second none. Pure.
 */
import { hopUs } from "../../core/observation/observation.ts"
import { afterHop, type HopLoad, type Ladder, type LadderState, topOfLadder } from "../../core/pace/ladder.ts"

export interface Ease {
  /** Of this many packets, one is made. */
  readonly oneIn: number
  /** Hops that are sent at once. */
  readonly hopsTogether: number
}

const hopMs = hopUs / 1000
const levels: ReadonlyArray<Ease> = [
  { oneIn: 1, hopsTogether: 1 },
  { oneIn: 2, hopsTogether: 1 },
  { oneIn: 2, hopsTogether: 2 },
  { oneIn: 2, hopsTogether: 4 },
]
/** Later than this, the work is eased. */
const lateAfterMs = 150

const ladder: Ladder = {
  levels: levels.length,
  lateAfterMs,
  demandedBy: () => 0,
  shareAt: (level, costMs) => {
    const [higher, lower] = [levels[level]!, levels[level + 1]!]
    return costMs / lower.hopsTogether * lower.oneIn / higher.oneIn / hopMs
  },
}

export const noEase: LadderState = topOfLadder

/** The state after hops that were made in `costMs`, with the source `ageMs` behind its pace. */
export const afterMade = (state: LadderState, load: HopLoad): LadderState => afterHop(ladder, state, load)

export const easeOf = ({ level }: LadderState): Ease => levels[level]!
