/**
 * A ladder of levels of work, from all of it to the least: control of a load that comes hop by hop, so that it stays in real time.
 *
 * If a hop is late, the level falls, at once as far as its lateness demands, else by one level. It rises by one level when no hop was late
 * for a while and there is time for the higher level. If it has to fall again soon after that, it waits twice as long before the next rise,
 * because each fall costs hops, and it does not rise while hops are half as old as late ones. Neither holds while hops take little time: then
 * the processor is free again, or the delay has other causes, and less work would not shorten it. Pure.
 */

/** Time that a changed level has to show its effect before the next. */
const settleMs = 500
/** Time without a late hop after which the level may rise: at first, and at most. */
const calmMsMin = 1_000
const calmMsMax = 16_000
/** A level that falls so soon after it rose should not have risen. */
const regretMs = 5_000
/** Weight of the newest hop in the mean cost of a hop. */
const costWeight = 0.2

/** Share of its time that a hop may take for the level to rise. */
const busyShareMax = 0.6
/** A hop that takes less is cheap. */
const cheapMsMax = 20

/** What distinguishes one ladder from another. */
export interface Ladder {
  readonly levels: number
  /** A hop that is older than this is late. */
  readonly lateAfterMs: number
  /** The least level that a hop demands which is so much older than `lateAfterMs`. */
  readonly demandedBy: (lateByMs: number) => number
  /** The share of its time that a hop of a level would take, from the mean cost of a hop at the level below it. */
  readonly shareAt: (level: number, costMs: number) => number
}

/** The state of the control. Times are of one clock, in milliseconds. */
export interface LadderState {
  /** 0: all of the work. */
  readonly level: number
  /** When the level last changed, and when it last rose. */
  readonly changedMs: number
  readonly roseMs: number
  /** Time without a late hop before the next rise. */
  readonly calmMs: number
  /** When the last hop was done that was late, or so old that the level does not rise. */
  readonly lateMs: number
  /** Mean time that a hop takes; null before the first. */
  readonly costMs: number | null
}

export const topOfLadder: LadderState = {
  level: 0,
  changedMs: -Infinity,
  roseMs: -Infinity,
  calmMs: calmMsMin,
  lateMs: -Infinity,
  costMs: null,
}

/** A hop that was done. */
export interface HopLoad {
  readonly nowMs: number
  /** How late it was. */
  readonly ageMs: number
  /** Time that it took. */
  readonly costMs: number
}

/** The state after a late hop. */
const fallen = (
  { demandedBy, lateAfterMs, levels }: Ladder,
  state: LadderState,
  { ageMs, nowMs }: HopLoad,
): LadderState => {
  const { calmMs, changedMs, level, roseMs } = state
  const isSettled = nowMs - changedMs >= settleMs
  const lower = Math.min(Math.max(isSettled ? level + 1 : level, demandedBy(ageMs - lateAfterMs)), levels - 1)
  if (lower === level) return state
  const isRegretted = nowMs - roseMs < regretMs
  return { ...state, level: lower, changedMs: nowMs, calmMs: isRegretted ? Math.min(2 * calmMs, calmMsMax) : calmMs }
}

/** The state after a hop. */
export const afterHop = (ladder: Ladder, before: LadderState, load: HopLoad): LadderState => {
  const { ageMs, costMs: tookMs, nowMs } = load
  const { calmMs, level } = before
  const costMs = before.costMs === null ? tookMs : (1 - costWeight) * before.costMs + costWeight * tookMs
  const state = { ...before, costMs }
  if (ageMs > ladder.lateAfterMs) return fallen(ladder, { ...state, lateMs: nowMs }, load)
  if (level === 0) return state
  const isCheap = costMs <= cheapMsMax
  if (!isCheap && ageMs > ladder.lateAfterMs / 2) return { ...state, lateMs: nowMs }
  const waitsMs = isCheap ? calmMsMin : calmMs
  const isCalm = nowMs - Math.max(state.lateMs, state.changedMs) >= waitsMs
  return isCalm && ladder.shareAt(level - 1, costMs) <= busyShareMax
    ? { ...state, level: level - 1, changedMs: nowMs, roseMs: nowMs, calmMs: waitsMs }
    : state
}
