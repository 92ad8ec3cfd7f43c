/**
 * Figures of a detector of presence on labelled recordings.
 *
 * Shares are of judged time: hops in which the detector answers. Coverage is judged time over all time of the label.
 */
import type { JudgedHop } from "./replay.ts"

export interface PresenceFigures {
  /** Percent of judged empty time that is called present. */
  readonly falsePresentPercent: number | null
  /** Percent of judged time with a moving person that is called present; the same with a still person. */
  readonly movingPresentPercent: number | null
  readonly stillPresentPercent: number | null
  /** Percent of empty time, and of time with a moving person, that is judged. */
  readonly emptyCoveragePercent: number | null
  readonly movingCoveragePercent: number | null
  /** Probability that a hop with a moving person has more motion than an empty hop. */
  readonly motionAuc: number | null
}

export type FigureKey = keyof PresenceFigures
export const figureKeys = [
  "falsePresentPercent",
  "movingPresentPercent",
  "stillPresentPercent",
  "emptyCoveragePercent",
  "movingCoveragePercent",
  "motionAuc",
] as const satisfies ReadonlyArray<FigureKey>

const percent = (part: number, whole: number): number | null => whole === 0 ? null : 100 * part / whole

/** Area under the curve of two sets of values: the chance that one of `high` exceeds one of `low`, ties one half. */
export const areaUnderCurve = (low: ReadonlyArray<number>, high: ReadonlyArray<number>): number | null => {
  if (low.length === 0 || high.length === 0) return null
  const all = [...low.map((value) => ({ value, isHigh: false })), ...high.map((value) => ({ value, isHigh: true }))]
  all.sort((a, b) => a.value - b.value)
  let rankSum = 0
  for (let first = 0, end = 1; end <= all.length; end++) {
    if (end < all.length && all[end]!.value === all[first]!.value) continue
    const rank = (first + 1 + end) / 2
    for (let i = first; i < end; i++) if (all[i]!.isHigh) rankSum += rank
    first = end
  }
  return (rankSum - high.length * (high.length + 1) / 2) / (low.length * high.length)
}

const motionsOf = (hops: ReadonlyArray<JudgedHop>): ReadonlyArray<number> =>
  hops.flatMap(({ motion }) => motion === null ? [] : [motion])

/** The figures of the hops of one recording, or of several. */
export const presenceFigures = (hops: ReadonlyArray<JudgedHop>): PresenceFigures => {
  const empty = hops.filter(({ state }) => state === "empty")
  const moving = hops.filter(({ state }) => state === "moving")
  const still = hops.filter(({ state }) => state === "still")
  const judged = (of: ReadonlyArray<JudgedHop>) => of.filter(({ present }) => present !== null)
  const presentPercent = (of: ReadonlyArray<JudgedHop>) =>
    percent(of.filter(({ present }) => present === true).length, judged(of).length)
  return {
    falsePresentPercent: presentPercent(empty),
    movingPresentPercent: presentPercent(moving),
    stillPresentPercent: presentPercent(still),
    emptyCoveragePercent: percent(judged(empty).length, empty.length),
    movingCoveragePercent: percent(judged(moving).length, moving.length),
    motionAuc: areaUnderCurve(motionsOf(empty), motionsOf(moving)),
  }
}
