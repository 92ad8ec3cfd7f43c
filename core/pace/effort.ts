/**
 * Effort: how much work an environment spends on its hops, so that it stays in real time when the processor is short.
 *
 * Owns two decisions, both pure. Which hops are shed: those that are old while newer ones wait, oldest first. And how much work a hop gets:
 * if the estimated hops are still old, the effort falls at once to the level that their backlog demands, and rises again by one
 * level at a time when there is time for the higher level. From half of the hops on, only the newest of the waiting hops is estimated.
 * No level leaves out presence and alerts: they have every hop that the processor has time for, and at least every fourth.
 *
 * Ages are beyond the usual delay of the source (`usual-delay.ts`), which is at most 1 s, so frames stay below 2 s. An environment that keeps
 * up stays at the level `full` and sheds nothing.
 */
import { hopUs } from "../observation/observation.ts"

/** From all of the work to the least. Each level leaves out what the levels before it do. */
export const efforts = ["full", "fewer_refinements", "fewer_spectra", "every_second_hop", "every_fourth_hop"] as const
export type Effort = typeof efforts[number]

const hopMs = hopUs / 1000
/** A hop that is older than this is shed while a newer one waits. */
export const shedAfterMs = 700
/** An estimated hop that is older than this is a sign that the effort is too high. */
const lateAfterMs = 800
/** Hops of backlog, beyond `lateAfterMs`, by which the effort falls at once to half and to a quarter of the hops. */
const halfBacklogHops = 2
const quarterBacklogHops = 5
/** Time that a changed effort has to show its effect before the next level. */
const settleMs = 500
/** Time without an old hop after which the effort may rise. */
const calmMs = 1_000
/** Share of the time between two hops that estimation may take for the effort to rise. */
const busyShareMax = 0.6
/** Weight of the newest hop in the mean cost of a hop. */
const costWeight = 0.2

/** The state of the control. Times are of one clock, in milliseconds. */
export interface EffortState {
  readonly effort: Effort
  /** When the effort last changed. */
  readonly changedMs: number
  /** When the last old hop was estimated. */
  readonly lateMs: number
  /** Mean time that the estimation of a hop takes; null before the first. */
  readonly costMs: number | null
}

export const fullEffort: EffortState = { effort: "full", changedMs: -Infinity, lateMs: -Infinity, costMs: null }

/** An estimated hop. */
export interface HopLoad {
  readonly nowMs: number
  /** Since the end of the hop, beyond the usual delay of its source. */
  readonly ageMs: number
  /** Time of its estimation. */
  readonly costMs: number
}

/** One hop in this many is estimated. */
const strideOf = (effort: Effort): 1 | 2 | 4 =>
  effort === "every_fourth_hop" ? 4 : effort === "every_second_hop" ? 2 : 1

/** Whether a body is refined once instead of twice, and at most one new body is searched in a hop. */
export const refinesLess = (effort: Effort): boolean => effort !== "full"

/** Whether the spectra of the vital signs are read every third second instead of every second. */
export const readsSpectraLess = (effort: Effort): boolean => efforts.indexOf(effort) >= efforts.indexOf("fewer_spectra")

/**
 * Whether a hop is shed: it is old while a newer one waits, or the effort leaves it out. `sinceHops` is its distance from the last estimated
 * hop: if the source leaves hops out itself, the effort leaves out fewer.
 */
export const isShed = (
  { effort }: EffortState,
  given: { readonly sinceHops: number; readonly ageMs: number; readonly newerWaits: boolean },
): boolean => {
  const stride = strideOf(effort)
  return given.newerWaits ? stride > 1 || given.ageMs > shedAfterMs : given.sinceHops < stride
}

/** The least level that a hop with this backlog demands. */
const demandedBy = (backlogHops: number): Effort =>
  backlogHops >= quarterBacklogHops ? "every_fourth_hop" : backlogHops >= halfBacklogHops ? "every_second_hop" : "full"

/** The state after an estimated hop. */
export const afterHop = (state: EffortState, { ageMs, costMs: tookMs, nowMs }: HopLoad): EffortState => {
  const level = efforts.indexOf(state.effort)
  const late = ageMs > lateAfterMs
  const costMs = state.costMs === null ? tookMs : (1 - costWeight) * state.costMs + costWeight * tookMs
  const lateMs = late ? nowMs : state.lateMs
  const next = { effort: state.effort, changedMs: state.changedMs, lateMs, costMs }
  if (late) {
    const isSettled = nowMs - state.changedMs >= settleMs
    const demanded = efforts.indexOf(demandedBy((ageMs - lateAfterMs) / hopMs))
    const lower = Math.min(Math.max(isSettled ? level + 1 : level, demanded), efforts.length - 1)
    return lower === level ? next : { ...next, effort: efforts[lower]!, changedMs: nowMs }
  }
  const higher = efforts[level - 1]
  const isCalm = nowMs - Math.max(lateMs, state.changedMs) >= calmMs
  return higher === undefined || !isCalm || costMs > busyShareMax * hopMs * strideOf(higher)
    ? next
    : { ...next, effort: higher, changedMs: nowMs }
}
