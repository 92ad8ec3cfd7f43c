/**
 * Evidence of the parts of a body: which of them are observed, and where a limb is drawn that is not.
 *
 * A part is observed if the network estimates it clearly better than it could without the part's own echoes; the network
 * learns this from scenes in which limbs move apart from the trunk (`sim/training/posture.py`). A limb that is not
 * observed is drawn at the rest of the posture: the mean limb of the estimated activities about the estimated trunk. So
 * a limb that is not seen does not swing. Boundary: the outputs of the network are read in `read-pose.ts`.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { trunkFrame } from "./body-frames.ts"
import { keypointNames } from "./skeleton.ts"
import { add, lengthOf, middle, moved, scaled, subtract } from "./vector.ts"

/** The parts of a body that are observed as a whole, in the order of the network's outputs, with their joints. */
export const evidenceParts: ReadonlyArray<{ readonly joints: ReadonlyArray<number>; readonly isLimb: boolean }> = [
  { joints: [0, 1, 2, 3, 4], isLimb: false },
  { joints: [5, 6, 11, 12], isLimb: false },
  { joints: [7, 9], isLimb: true },
  { joints: [8, 10], isLimb: true },
  { joints: [13, 15], isLimb: true },
  { joints: [14, 16], isLimb: true },
]

/** Probability from which a part counts as observed; here a limb is at rest. */
const observedMin = 0.5
/** Probability from which a limb is drawn as estimated. Between the two it moves from rest to the estimate. */
const drawnWhollyMin = 0.7

/** Joints of a posture about the trunk: [activity][keypoint][front, left, up], in units of the trunk's length. */
export type Rests = Float32Array

/** The mean of the postures, by the probabilities of their activities. */
const mixed = (rests: Rests, probabilities: ReadonlyArray<number>, joint: number): Vector3 => {
  const at = (axis: number): number =>
    probabilities.reduce(
      (sum, probability, activity) =>
        sum + probability * rests[3 * (activity * keypointNames.length + joint) + axis]!,
      0,
    )
  return [at(0), at(1), at(2)]
}

/** The joints of a body as they are drawn, and whether each is observed. */
export interface Drawn {
  readonly joints: ReadonlyArray<Vector3>
  readonly observed: ReadonlyArray<boolean>
}

/**
 * Draws the estimated joints: limbs that are not observed are at rest.
 *
 * @param estimated the 17 joints, in metres
 * @param probabilities of the activities
 * @param evidence probability of each of `evidenceParts` that it is observed
 */
export const drawJoints = (
  estimated: ReadonlyArray<Vector3>,
  probabilities: ReadonlyArray<number>,
  evidence: ReadonlyArray<number>,
  rests: Rests,
): Drawn => {
  const joints = [...estimated]
  const observed = estimated.map(() => false)
  const { axis, front, left } = trunkFrame(estimated)
  const pelvis = middle(estimated[11]!, estimated[12]!)
  const trunkM = lengthOf(subtract(middle(estimated[5]!, estimated[6]!), pelvis))
  for (const [i, part] of evidenceParts.entries()) {
    const probability = evidence[i]!
    const share = part.isLimb ? Math.min(1, Math.max(0, (probability - observedMin) / (drawnWhollyMin - observedMin))) : 1
    for (const joint of part.joints) {
      observed[joint] = probability > observedMin
      if (share === 1) continue
      const [ahead, aside, up] = mixed(rests, probabilities, joint)
      const rest = add(
        moved(moved(pelvis, front, ahead * trunkM), left, aside * trunkM),
        scaled(axis, up * trunkM),
      )
      joints[joint] = moved(rest, subtract(estimated[joint]!, rest), share)
    }
  }
  return { joints, observed }
}
