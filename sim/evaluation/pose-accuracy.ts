/**
 * Pose accuracy: the errors of the keypoints of matched persons.
 *
 * Owns MPJPE (absolute, pelvis-aligned, after Procrustes), the error of the pelvis itself and PCK. A person counts when an estimate
 * is within `poseGateM` on the floor plan; missed persons appear in `matched_percent`, MOTA and the count instead. The figure with missed
 * persons counts each of them as if all of its keypoints were drawn at its pelvis. PCK uses
 * pelvis-aligned keypoints and the true distance from right shoulder (6) to left hip (11) as its unit.
 */
import { type Figure, figure, noMatches, noPersons, ratio } from "./figure.ts"
import { type Bins, countIn, quantileOf } from "./histogram.ts"
import { activities, type EstimatedPerson, floorDistanceM, joints, pelvisOf, type TruePerson } from "./record.ts"
import { alignSimilarity } from "./procrustes.ts"

/** Largest distance of a match, where the similarity of HOTA reaches 0. */
export const poseGateM = 1

/** Bins of 5 mm, which give a median to about a millimetre. */
const distanceBins: Bins = { from: 0, width: 0.005, count: 600 }

/** Sums of errors per activity and joint: persons counted, absolute, pelvis-aligned and Procrustes-aligned errors in metres. */
const perJoint = 4

const rightShoulder = 6
const leftHip = 11

export interface PoseTally {
  /** [activity][joint][count, absolute, aligned, Procrustes] */
  readonly jointErrors: Float64Array
  /** Keypoints within 20 % and 50 % of the torso. */
  readonly torsoHits: Float64Array
  readonly pelvisErrors: Float64Array
  readonly locationErrors: Float64Array
  /** [true persons, matched persons], over all hops */
  readonly matched: Float64Array
  /** Missed persons: mean distance of the keypoints from the pelvis, summed, metres. */
  readonly missedErrors: Float64Array
}

export const emptyPoseTally = (): PoseTally => ({
  jointErrors: new Float64Array(activities.length * joints * perJoint),
  torsoHits: new Float64Array(2),
  pelvisErrors: new Float64Array(distanceBins.count),
  locationErrors: new Float64Array(distanceBins.count),
  matched: new Float64Array(2),
  missedErrors: new Float64Array(1),
})

const distanceOf = (a: ArrayLike<number>, b: ArrayLike<number>, joint: number, shift: ArrayLike<number>): number =>
  Math.hypot(
    a[3 * joint]! - b[3 * joint]! - shift[0]!,
    a[3 * joint + 1]! - b[3 * joint + 1]! - shift[1]!,
    a[3 * joint + 2]! - b[3 * joint + 2]! - shift[2]!,
  )

const nowhere = new Float64Array(3)

/** Counts a true person and its matched estimate, if any. */
export const addPose = (tally: PoseTally, truth: TruePerson, estimate: EstimatedPerson | undefined): void => {
  tally.matched[0]!++
  if (estimate === undefined) {
    const pelvis = pelvisOf(truth.keypoints)
    for (let joint = 0; joint < joints; joint++) {
      const [x, y, z] = [0, 1, 2].map((axis) => truth.keypoints[3 * joint + axis]! - pelvis[axis]!)
      tally.missedErrors[0]! += Math.hypot(x!, y!, z!) / joints
    }
    return
  }
  tally.matched[1]!++
  const { keypoints: wrong } = estimate
  const { keypoints: right } = truth
  const shift = pelvisOf(wrong)
  const pelvis = pelvisOf(right)
  for (let axis = 0; axis < 3; axis++) shift[axis] = shift[axis]! - pelvis[axis]!
  countIn(distanceBins, tally.pelvisErrors, Math.hypot(shift[0]!, shift[1]!, shift[2]!))
  countIn(distanceBins, tally.locationErrors, floorDistanceM(wrong, right))
  const torsoM = Math.hypot(
    right[3 * rightShoulder]! - right[3 * leftHip]!,
    right[3 * rightShoulder + 1]! - right[3 * leftHip + 1]!,
    right[3 * rightShoulder + 2]! - right[3 * leftHip + 2]!,
  )
  const aligned = alignSimilarity(wrong, right)
  const row = activities.indexOf(truth.activity) * joints
  for (let joint = 0; joint < joints; joint++) {
    const at = (row + joint) * perJoint
    const centred = distanceOf(wrong, right, joint, shift)
    tally.jointErrors[at]!++
    tally.jointErrors[at + 1]! += distanceOf(wrong, right, joint, nowhere)
    tally.jointErrors[at + 2]! += centred
    tally.jointErrors[at + 3]! += distanceOf(aligned, right, joint, nowhere)
    if (centred <= 0.2 * torsoM) tally.torsoHits[0]!++
    if (centred <= 0.5 * torsoM) tally.torsoHits[1]!++
  }
}

type ErrorKind = "absolute" | "aligned" | "procrustes"
const column: Readonly<Record<ErrorKind, number>> = { absolute: 1, aligned: 2, procrustes: 3 }

/** Sum and count of one kind of error over the activities and joints that are chosen. */
const errorsOf = (
  { jointErrors }: PoseTally,
  kind: ErrorKind,
  chosen: (activity: number, joint: number) => boolean = () => true,
): { readonly sum: number; readonly count: number } => {
  let sum = 0
  let count = 0
  for (let activity = 0; activity < activities.length; activity++) {
    for (let joint = 0; joint < joints; joint++) {
      if (!chosen(activity, joint)) continue
      const at = (activity * joints + joint) * perJoint
      count += jointErrors[at]!
      sum += jointErrors[at + column[kind]]!
    }
  }
  return { sum, count }
}

/** Mean error of one kind in millimetres, overall or of one activity or joint; null without matches. */
export const meanErrorMm = (
  tally: PoseTally,
  kind: ErrorKind,
  only: { readonly activity?: number; readonly joint?: number } = {},
): number | null => {
  const { count, sum } = errorsOf(
    tally,
    kind,
    (activity, joint) => (only.activity ?? activity) === activity && (only.joint ?? joint) === joint,
  )
  return count > 0 ? 1000 * sum / count : null
}

export const poseFigures = (tally: PoseTally): Readonly<Record<string, Figure>> => {
  const keypoints = tally.matched[1]! * joints
  const byActivity = Object.fromEntries(activities.map((name, activity) => [
    `mpjpe_pelvis_aligned_${name}_mm`,
    figure(meanErrorMm(tally, "aligned", { activity }), `No person who was ${name} was matched by an estimate.`),
  ]))
  const found = (meanErrorMm(tally, "aligned") ?? 0) * tally.matched[1]!
  return {
    mpjpe_pelvis_aligned_mm: figure(meanErrorMm(tally, "aligned"), noMatches),
    mpjpe_with_missed_mm: ratio(found + 1000 * tally.missedErrors[0]!, tally.matched[0]!, noPersons),
    ...byActivity,
    mpjpe_absolute_mm: figure(meanErrorMm(tally, "absolute"), noMatches),
    pa_mpjpe_mm: figure(meanErrorMm(tally, "procrustes"), noMatches),
    pelvis_error_median_m: figure(quantileOf(distanceBins, tally.pelvisErrors, 0.5), noMatches),
    location_error_median_m: figure(quantileOf(distanceBins, tally.locationErrors, 0.5), noMatches),
    pck20_percent: ratio(tally.torsoHits[0]!, keypoints, noMatches, 100),
    pck50_percent: ratio(tally.torsoHits[1]!, keypoints, noMatches, 100),
    matched_percent: ratio(tally.matched[1]!, tally.matched[0]!, noPersons, 100),
  }
}
