/**
 * Evidence of the parts of a body: which of them are observed, and where a limb is drawn that is not.
 *
 * A part is observed if the network estimates it clearly better than it could without the part's own echoes; the network
 * learns this from scenes in which limbs move apart from the trunk (`sim/training/posture.py`). A single hop says little,
 * so the evidence of the last seconds counts. A limb that is not observed is drawn at the rest of the posture, about the estimated trunk: the mean limb of the estimated activities,
 * and the slow mean of the person's own difference from it. So a limb that is not seen does not swing. Boundary: the outputs of the network are read in `read-pose.ts`.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { sigmoid } from "../kernels/activation.ts"
import { trunkFrame } from "./body-frames.ts"
import { keypointNames } from "./skeleton.ts"
import { dot, lengthOf, middle, moved, subtract } from "./vector.ts"

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
      (sum, probability, activity) => sum + probability * rests[3 * (activity * keypointNames.length + joint) + axis]!,
      0,
    )
  return [at(0), at(1), at(2)]
}

/** Share of a hop in a person's own difference from the mean posture: a mean over four seconds, in which a swing vanishes. */
const habitShare = 0.025
/** Shorter trunks, metres, are errors; the rest is not scaled to them. */
const trunkMinM = 0.1

/** Share of a hop in the evidence that lasts: a mean over two seconds, two steps of a walker. */
const evidenceShare = 0.05

/** What is known of a person from earlier hops. */
export interface Habit {
  /** The own difference from the mean posture, as `Rests` of one activity. */
  readonly posture: Float32Array
  /** Lasting logits of `evidenceParts`; null before the first hop. */
  readonly evidence: ReadonlyArray<number> | null
}

export const noHabit: Habit = { posture: new Float32Array(3 * keypointNames.length), evidence: null }

/** The joints of a body as they are drawn, whether each is observed, and the habit after this hop. */
export interface Drawn {
  readonly habit: Habit
  readonly joints: ReadonlyArray<Vector3>
  readonly observed: ReadonlyArray<boolean>
}

/**
 * Draws the estimated joints: limbs that are not observed are at rest.
 *
 * @param estimated the 17 joints, in metres
 * @param probabilities of the activities
 * @param evidence logit of each of `evidenceParts` that it is observed in this hop
 * @param before the person's habit before this hop
 */
export const drawJoints = (
  estimated: ReadonlyArray<Vector3>,
  probabilities: ReadonlyArray<number>,
  evidence: ReadonlyArray<number>,
  rests: Rests,
  before: Habit,
): Drawn => {
  const pelvis = middle(estimated[11]!, estimated[12]!)
  const trunkM = Math.max(trunkMinM, lengthOf(subtract(middle(estimated[5]!, estimated[6]!), pelvis)))
  const { axis, front, left } = trunkFrame(estimated)
  const posture = new Float32Array(before.posture.length)
  const lasting = evidence.map((logit, i) => {
    const last = before.evidence?.[i] ?? logit
    return last + evidenceShare * (logit - last)
  })
  const atRest = estimated.map((joint, i): Vector3 => {
    const about = subtract(joint, pelvis)
    const mean = mixed(rests, probabilities, i)
    return [front, left, axis].reduce((place, direction, k) => {
      const difference = dot(about, direction) / trunkM - mean[k]!
      const last = before.posture[3 * i + k]!
      const own = posture[3 * i + k] = last + habitShare * (difference - last)
      return moved(place, direction, trunkM * (mean[k]! + own))
    }, pelvis)
  })
  const joints = [...estimated]
  const observed = estimated.map(() => false)
  for (const [i, part] of evidenceParts.entries()) {
    const probability = sigmoid(lasting[i]!)
    const share = part.isLimb
      ? Math.min(1, Math.max(0, (probability - observedMin) / (drawnWhollyMin - observedMin)))
      : 1
    for (const joint of part.joints) {
      observed[joint] = probability > observedMin
      if (share < 1) joints[joint] = moved(atRest[joint]!, subtract(estimated[joint]!, atRest[joint]!), share)
    }
  }
  return { habit: { posture, evidence: lasting }, joints, observed }
}
