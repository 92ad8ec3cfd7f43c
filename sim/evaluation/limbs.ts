/**
 * Limbs: whether drawn limbs move as the true ones do.
 *
 * Owns two comparisons over whole seconds of a matched, walking person. The swing of the ankles is the distance of the left ankle ahead
 * of the right one, each body along its own facing; its correlation with the true one is 1 for a perfect estimator and about 0
 * for legs that are guessed. The swing of a limb is the standard deviation, within a second, of its ankle or wrist ahead of the hips. A
 * limb is still if its true swing is below `stillM`; then its drawn swing is compared with it. A drawn swing is made of the error of
 * each hop too, so a noisy estimator swings limbs.
 */
import { facingRad } from "./facing.ts"
import { type Figure, none, ratio } from "./figure.ts"
import { matchPersons } from "./matching.ts"
import { poseGateM } from "./pose-accuracy.ts"
import { hopS, pelvisOf, type SequenceRecord } from "./record.ts"

const stillM = 0.03
const windowHops = Math.round(1 / hopS)
/** Left and right wrist, left and right ankle. */
const tips = [9, 10, 15, 16] as const

export interface LimbTally {
  /** Swing of the ankles: [hops, sum of true, drawn, true^2, drawn^2, true x drawn] */
  readonly ankleSwing: Float64Array
  /** Still limbs in windows: [count, sum of true swings, sum of drawn swings], metres. */
  readonly stillLimbs: Float64Array
}

export const emptyLimbTally = (): LimbTally => ({
  ankleSwing: new Float64Array(6),
  stillLimbs: new Float64Array(3),
})

/** How far each tip of a limb is ahead of the hips. */
const ahead = (keypoints: ArrayLike<number>): ReadonlyArray<number> => {
  const facing = facingRad(keypoints)
  const [x, y] = pelvisOf(keypoints)
  return tips.map((tip) =>
    (keypoints[3 * tip]! - x!) * Math.cos(facing) + (keypoints[3 * tip + 1]! - y!) * Math.sin(facing)
  )
}

interface Moment {
  readonly track: number
  readonly truth: ReadonlyArray<number>
  readonly drawn: ReadonlyArray<number>
}

const deviation = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

const addWindow = (tally: LimbTally, window: ReadonlyArray<Moment>): void => {
  for (const { drawn, truth } of window) {
    const [actual, estimated] = [truth[2]! - truth[3]!, drawn[2]! - drawn[3]!]
    const sums = [1, actual, estimated, actual ** 2, estimated ** 2, actual * estimated]
    for (const [i, value] of sums.entries()) tally.ankleSwing[i]! += value
  }
  for (const i of tips.keys()) {
    const actual = deviation(window.map(({ truth }) => truth[i]!))
    if (actual >= stillM) continue
    tally.stillLimbs[0]!++
    tally.stillLimbs[1]! += actual
    tally.stillLimbs[2]! += deviation(window.map(({ drawn }) => drawn[i]!))
  }
}

/** Adds the whole seconds in which one track follows a walking person. */
export const addLimbs = (tally: LimbTally, { hops }: SequenceRecord): void => {
  const windows = new Map<number, Array<Moment>>()
  for (const { estimate: { persons }, truth } of hops) {
    const matches = matchPersons(truth, persons, poseGateM)
    for (const [i, { activity, id, keypoints }] of truth.entries()) {
      const estimate = persons[matches[i]!]
      const window = windows.get(id) ?? []
      const follows = estimate !== undefined && activity === "walking" &&
        (window.length === 0 || window[0]!.track === estimate.id)
      if (!follows) {
        windows.delete(id)
        continue
      }
      window.push({ track: estimate.id, truth: ahead(keypoints), drawn: ahead(estimate.keypoints) })
      windows.set(id, window)
      if (window.length < windowHops) continue
      addWindow(tally, window)
      windows.delete(id)
    }
  }
}

const noWalks = "No track followed a walking person for a second."
const noStill = "No limb of a walking person kept still while a track followed it."

const correlation = ([count, x, y, xx, yy, xy]: Float64Array): number | null => {
  const spread = (count! * xx! - x! ** 2) * (count! * yy! - y! ** 2)
  return spread > 0 ? (count! * xy! - x! * y!) / Math.sqrt(spread) : null
}

export const limbFigures = ({ ankleSwing, stillLimbs }: LimbTally): Readonly<Record<string, Figure>> => {
  const r = correlation(ankleSwing)
  return {
    ankle_swing_r: r === null ? none(noWalks) : { value: r },
    still_limb_swing_ratio: ratio(stillLimbs[2]!, stillLimbs[1]!, noStill),
    still_limb_swing_mm: ratio(stillLimbs[2]!, stillLimbs[0]!, noStill, 1000),
  }
}
