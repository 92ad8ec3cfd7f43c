/**
 * The mannequin: the answer of an estimator that knows position, facing and activity of a person, and draws a rigid body.
 *
 * Owns the mean of the true poses per activity, turned to one facing; one baseline has the facing and activity of the estimator, the
 * other the true ones. An estimator that sees limbs is better than both. Boundary: the numbers are in `mean-poses.json`;
 * `mean-pose.ts` has the means without a facing.
 */
import { facingRad } from "./facing.ts"
import { matchPersons } from "./matching.ts"
import { type MeanPoses, type Pose, replacePoses } from "./mean-pose.ts"
import { poseGateM } from "./pose-accuracy.ts"
import type { EstimatedPerson, SequenceRecord, TruePerson } from "./record.ts"

const turned = (pose: Pose, rad: number): Pose => {
  const [c, s] = [Math.cos(rad), Math.sin(rad)]
  return pose.map((value, at) =>
    at % 3 === 0 ? c * value - s * pose[at + 1]! : at % 3 === 1 ? c * value + s * pose[at - 1]! : value
  )
}

/** The mannequin of a person; with an unknown activity it stands. */
const mannequinOf = (
  { facing }: MeanPoses,
  { activity, keypoints }: EstimatedPerson | TruePerson,
): Pose => turned(facing[activity === "unknown" ? "standing" : activity] ?? facing.standing ?? [], facingRad(keypoints))

/** A sequence with every estimate replaced by a mannequin of its own facing and activity. */
export const withMannequin = (record: SequenceRecord, poses: MeanPoses): SequenceRecord =>
  replacePoses(record, ({ estimate: { persons } }) => (i) => mannequinOf(poses, persons[i]!))

/** A sequence with every matched estimate replaced by a mannequin of the true facing and activity. */
export const withTrueMannequin = (record: SequenceRecord, poses: MeanPoses): SequenceRecord =>
  replacePoses(record, ({ estimate: { persons }, truth }) => {
    const actual = new Map<number, TruePerson>()
    for (const [person, at] of matchPersons(truth, persons, poseGateM).entries()) {
      if (at >= 0) actual.set(at, truth[person]!)
    }
    return (i) => mannequinOf(poses, actual.get(i) ?? persons[i]!)
  })
