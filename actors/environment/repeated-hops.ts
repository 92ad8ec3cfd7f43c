/**
 * Repeated hops: after a move, routers send again what the last activation had taken and not acknowledged. Its frame may be stored already.
 *
 * A hop long before the newest stored frame is none of these: the clock of its source was set back. Pure except for its own state.
 */
import { hopUs } from "../../core/observation/observation.ts"
import type { Hop } from "./hop-assembler.ts"

/** Routers keep ten seconds of hops (`router/delivery.ts`), and clients repeat what they sent last. */
const repeatedMsMax = 15_000

/** Whether a moment after the newest stored frame may have been taken before: not, if the clock was set back. */
export const isRepeatedMoment = (endMs: number, newestMs: number): boolean =>
  endMs <= newestMs && endMs >= newestMs - repeatedMsMax

export const noRepeatedHops = (_: Pick<Hop, "hop">): boolean => false

/**
 * Says which of the hops of a new activation are repeated.
 *
 * @param newestMs event time of the newest stored frame, the end of its hop
 */
export const repeatedHops = (newestMs: number): typeof noRepeatedHops => {
  let isOver = false
  return ({ hop }) => {
    const endMs = ((hop + 1) * hopUs) / 1000
    isOver ||= !isRepeatedMoment(endMs, newestMs)
    return !isOver
  }
}
