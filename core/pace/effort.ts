/**
 * Effort: how much work an environment spends on its hops, so that it stays in real time when the processor is short.
 *
 * Owns two decisions, both pure. Which hops are shed: those that are old while newer ones wait, oldest first. And how much work a hop gets:
 * if the estimated hops are still old, the effort falls at once to the level that their backlog demands, and rises again by one
 * level at a time when there is time for the higher level. From half of the hops on, only the newest of the waiting hops is estimated.
 * No level leaves out presence and alerts: they have every hop that the processor has time for, at least every fourth, and each hop of what
 * may be a fall.
 *
 * Ages are beyond the usual delay of the source (`usual-delay.ts`), which is at most 1 s, so frames stay below 2 s. An environment that keeps
 * up stays at the level `full` and sheds nothing.
 */
import { hopUs } from "../observation/observation.ts"
import { afterHop as afterHopOf, type HopLoad, type Ladder, type LadderState, topOfLadder } from "./ladder.ts"

/** From all of the work to the least. Each level leaves out what the levels before it do. */
export const efforts = ["full", "fewer_refinements", "fewer_spectra", "every_second_hop", "every_fourth_hop"] as const
export type Effort = typeof efforts[number]

const levelOf = (effort: Effort): number => efforts.indexOf(effort)

const hopMs = hopUs / 1000
/** A hop that is older than this is shed while a newer one waits. */
export const shedAfterMs = 700
/** An estimated hop that is older than this is a sign that the effort is too high. */
const lateAfterMs = 800
/** Hops of backlog, beyond `lateAfterMs`, by which the effort falls at once to half and to a quarter of the hops. */
const halfBacklogHops = 2
const quarterBacklogHops = 5

/** The state of the control. */
export interface EffortState extends Omit<LadderState, "level"> {
  readonly effort: Effort
}

const stateOf = ({ level, ...rest }: LadderState): EffortState => ({ effort: efforts[level]!, ...rest })

export const fullEffort: EffortState = stateOf(topOfLadder)

/** One hop in this many is estimated. */
const strideOf = (effort: Effort): 1 | 2 | 4 =>
  effort === "every_fourth_hop" ? 4 : effort === "every_second_hop" ? 2 : 1

/** Whether a body is refined once instead of twice, and at most one new body is searched in a hop. */
export const refinesLess = (effort: Effort): boolean => effort !== "full"

/** Whether the spectra of the vital signs are read every third second instead of every second. */
export const readsSpectraLess = (effort: Effort): boolean => levelOf(effort) >= levelOf("fewer_spectra")

/**
 * Whether a hop is shed: it is old while a newer one waits, or the effort leaves it out. `sinceHops` is its distance from the last estimated
 * hop: if the source leaves hops out itself, the effort leaves out fewer. While somebody may be falling, the effort leaves out none, because
 * a fall lasts half a second.
 */
export const isShed = (
  { effort }: EffortState,
  given: {
    readonly sinceHops: number
    readonly ageMs: number
    readonly newerWaits: boolean
    readonly mayFall: boolean
  },
): boolean => {
  const stride = given.mayFall ? 1 : strideOf(effort)
  return given.newerWaits ? stride > 1 || given.ageMs > shedAfterMs : given.sinceHops < stride
}

const ladder: Ladder = {
  levels: efforts.length,
  lateAfterMs,
  demandedBy: (lateByMs) =>
    lateByMs >= quarterBacklogHops * hopMs
      ? levelOf("every_fourth_hop")
      : lateByMs >= halfBacklogHops * hopMs
      ? levelOf("every_second_hop")
      : levelOf("full"),
  shareAt: (level, costMs) => costMs / (hopMs * strideOf(efforts[level]!)),
}

/** An estimated hop: `ageMs` is beyond the usual delay of its source, `costMs` the time of its estimation. */
interface EstimatedHop extends HopLoad {
  /** Hops that the source has left out before it, because it was behind: a backlog that does not show in the age. */
  readonly missedHops: number
}

/** The state after an estimated hop. */
export const afterHop = (
  { effort, ...rest }: EffortState,
  { ageMs, missedHops, ...load }: EstimatedHop,
): EffortState => {
  const backlogMs = missedHops === 0 ? 0 : lateAfterMs + missedHops * hopMs
  return stateOf(
    afterHopOf(ladder, { level: levelOf(effort), ...rest }, { ageMs: Math.max(ageMs, backlogMs), ...load }),
  )
}
