/**
 * The tally: the contribution of one sequence to every metric, as sums.
 *
 * Tallies add up in any order, and a bootstrap only changes their weights, so a worker returns nothing but the tally of a sequence.
 * Boundary: the file of each metric defines its sums.
 */
import { activityFigures, type ActivityTally, addActivity, emptyActivityTally } from "./activity.ts"
import { addCalibration, calibrationFigures, type CalibrationTally, emptyCalibrationTally } from "./calibration.ts"
import { addDetections, detectionFigures, type DetectionTally, emptyDetectionTally } from "./detection.ts"
import { addFalls, emptyFallTally, fallFigures, type FallTally } from "./falls.ts"
import { type Figure, none } from "./figure.ts"
import { addHota, emptyHotaTally, hotaFigures, type HotaTally } from "./hota.ts"
import { addLimbs, emptyLimbTally, limbFigures, type LimbTally } from "./limbs.ts"
import { matchPersons } from "./matching.ts"
import { addOccupancy, emptyOccupancyTally, occupancyFigures, type OccupancyTally } from "./occupancy.ts"
import { addPose, emptyPoseTally, poseFigures, poseGateM, type PoseTally } from "./pose-accuracy.ts"
import type { SequenceRecord } from "./record.ts"
import { addTracking, emptyTrackingTally, trackingFigures, type TrackingTally } from "./tracking.ts"

export type Tally =
  & PoseTally
  & LimbTally
  & DetectionTally
  & TrackingTally
  & HotaTally
  & ActivityTally
  & FallTally
  & OccupancyTally
  & CalibrationTally

const emptyTally = (): Tally => ({
  ...emptyPoseTally(),
  ...emptyLimbTally(),
  ...emptyDetectionTally(),
  ...emptyTrackingTally(),
  ...emptyHotaTally(),
  ...emptyActivityTally(),
  ...emptyFallTally(),
  ...emptyOccupancyTally(),
  ...emptyCalibrationTally(),
})

/** The tally of one sequence. */
export const tallyOf = (record: SequenceRecord): Tally => {
  const tally = emptyTally()
  for (const { estimate: { persons }, truth } of record.hops) {
    for (const [i, at] of matchPersons(truth, persons, poseGateM).entries()) {
      const estimate = persons[at]
      addPose(tally, truth[i]!, estimate)
      if (estimate === undefined) continue
      addActivity(tally, truth[i]!, estimate)
      addCalibration(tally, truth[i]!, estimate)
    }
  }
  addLimbs(tally, record)
  addDetections(tally, record)
  addTracking(tally, record)
  addHota(tally, record)
  addFalls(tally, record)
  addOccupancy(tally, record)
  return tally
}

/** The sum of tallies, each multiplied by its weight (default 1). */
export const poolTallies = (tallies: ReadonlyArray<Tally>, weights?: ArrayLike<number>): Tally => {
  const total = emptyTally()
  for (const [i, tally] of tallies.entries()) {
    const weight = weights?.[i] ?? 1
    if (weight === 0) continue
    for (const name of Object.keys(total) as ReadonlyArray<keyof Tally>) {
      const [sums, values] = [total[name], tally[name]]
      for (let at = 0; at < sums.length; at++) sums[at] = sums[at]! + weight * values[at]!
    }
  }
  return total
}

/** Origin of a tally: an estimator, or a constant pose at an estimator's positions, which has no other output of its own. */
export type TallyKind = "estimator" | "pose"

const borrowed =
  "This baseline is a pose at the estimator's positions; tracks, counts and alarms are those of the estimator."

/** All figures of a tally, by name; the last part of a name is its unit; figures without a unit are shares or scores. */
export const figuresOf = (tally: Tally, kind: TallyKind): Readonly<Record<string, Figure>> => {
  const own = { ...poseFigures(tally), ...limbFigures(tally), ...detectionFigures(tally) }
  const others = {
    ...trackingFigures(tally),
    ...hotaFigures(tally),
    ...occupancyFigures(tally),
    ...activityFigures(tally),
    ...fallFigures(tally),
    ...calibrationFigures(tally),
  }
  if (kind === "estimator") return { ...own, ...others }
  return { ...own, ...Object.fromEntries(Object.keys(others).map((name) => [name, none(borrowed)])) }
}
