/**
 * Evidence of the parts of a body: which of them are observed, and where a limb is drawn that is not.
 *
 * A part is observed if the network estimates it clearly better than it could without the part's own echoes; the network
 * learns this from scenes in which limbs move apart from the trunk (`sim/training/posture.py`). A single hop says little,
 * so the evidence of the last seconds counts, and the limbs of a walker need the swing of the walk as well (`leg-swing.ts`).
 * A limb without evidence is drawn at the rest of the posture, about the estimated trunk: the mean limb of the estimated
 * activities, and the slow mean of the person's own difference from it. So a limb that is not seen does not swing. Less
 * evidence is needed to draw a limb as estimated than to state that it is observed: the first is the smaller error, the
 * second a claim. Boundary: the outputs of the network are read in `read-pose.ts`.
 */
import type { Vector3 } from "../imaging/geometry.ts"
import { sigmoid } from "../kernels/activation.ts"
import { trunkFrame } from "./body-frames.ts"
import { followSwing, type LegSwing, swingOf, swingShare, walksOf } from "./leg-swing.ts"
import { ramp } from "./ramp.ts"
import { keypointNames } from "./skeleton.ts"
import { dot, lengthOf, middle, moved, subtract } from "./vector.ts"

/** The parts of a body that are observed as a whole, in the order of the network's outputs, with their joints. */
export const evidenceParts: ReadonlyArray<
  { readonly joints: ReadonlyArray<number>; readonly kind: "trunk" | "arm" | "leg" }
> = [
  { joints: [0, 1, 2, 3, 4], kind: "trunk" },
  { joints: [5, 6, 11, 12], kind: "trunk" },
  { joints: [7, 9], kind: "arm" },
  { joints: [8, 10], kind: "arm" },
  { joints: [13, 15], kind: "leg" },
  { joints: [14, 16], kind: "leg" },
]

/** Probability from which head and trunk count as observed; they are drawn as estimated in any case. */
const observedMin = 0.5
/** Probability at which a limb is at rest, and the one from which it is drawn wholly as estimated; it moves from one to the other. */
const drawnBetween = [0.5, 0.7] as const
/** The same for the swing of a walker's legs, as a share of the swing that the speed requires. */
const swungBetween = [0.4, 0.55] as const
/**
 * What a limb needs to count as observed: a probability, and of a walker a swing. The legs of a walker need less probability, because their
 * swing is evidence, too; the arms' is not, since the network infers it from the legs.
 */
const stated = { probabilityMin: { staying: 0.8, arm: 0.8, leg: 0.7 }, swingMin: 0.74 } as const

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

/** What is known of a person from earlier hops. */
export interface Habit {
  /** The own difference from the mean posture, as `Rests` of one activity. */
  readonly posture: Float32Array
  /** Lasting logits of `evidenceParts`; null before the first hop. */
  readonly evidence: ReadonlyArray<number> | null
  /** Null before the first hop. */
  readonly swing: LegSwing | null
}

export const noHabit: Habit = { posture: new Float32Array(3 * keypointNames.length), evidence: null, swing: null }

/** The network's estimate of a person in a hop. */
interface Estimated {
  /** The 17 joints, metres. */
  readonly joints: ReadonlyArray<Vector3>
  /** Of the activities. */
  readonly probabilities: ReadonlyArray<number>
  /** Logit of each of `evidenceParts` that it is observed. */
  readonly evidence: ReadonlyArray<number>
  /** Of the track. */
  readonly speedMps: number
}

/** The joints of a body as they are drawn, whether each is observed, and the habit after this hop. */
export interface Drawn {
  readonly habit: Habit
  readonly joints: ReadonlyArray<Vector3>
  readonly observed: ReadonlyArray<boolean>
}

/** Share of the estimate in a drawn limb, 0..1; the rest of it is at rest. */
const shareOf = (probability: number, swing: LegSwing): number => {
  const ofStaying = ramp(probability, drawnBetween)
  const ofWalker = Math.min(ofStaying, ramp(swingOf(swing), swungBetween))
  return ofStaying + walksOf(swing) * (ofWalker - ofStaying)
}

/** Whether a limb counts as observed. Somebody who may walk or stay needs the evidence of both. */
const isObserved = (kind: "arm" | "leg", probability: number, swing: LegSwing): boolean => {
  const { probabilityMin, swingMin } = stated
  const walks = walksOf(swing)
  if (walks < 1 && probability < probabilityMin.staying) return false
  return walks === 0 || (probability >= probabilityMin[kind] && swingOf(swing) >= swingMin)
}

const [leftAnkle, rightAnkle] = [keypointNames.indexOf("left_ankle"), keypointNames.indexOf("right_ankle")]

/**
 * Draws the estimated joints: limbs without evidence are at rest.
 *
 * @param before the person's habit before this hop
 */
export const drawJoints = (
  { evidence, joints: estimated, probabilities, speedMps }: Estimated,
  rests: Rests,
  before: Habit,
): Drawn => {
  const pelvis = middle(estimated[11]!, estimated[12]!)
  const trunkM = Math.max(trunkMinM, lengthOf(subtract(middle(estimated[5]!, estimated[6]!), pelvis)))
  const { axis, front, left } = trunkFrame(estimated)
  const posture = new Float32Array(before.posture.length)
  const swing = followSwing(before.swing, dot(subtract(estimated[leftAnkle]!, estimated[rightAnkle]!), front), speedMps)
  const lasting = evidence.map((logit, i) => {
    const last = before.evidence?.[i] ?? logit
    return last + swingShare * (logit - last)
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
  for (const [i, { joints: own, kind }] of evidenceParts.entries()) {
    const probability = sigmoid(lasting[i]!)
    const share = kind === "trunk" ? 1 : shareOf(probability, swing)
    const partObserved = kind === "trunk" ? probability > observedMin : isObserved(kind, probability, swing)
    for (const joint of own) {
      observed[joint] = partObserved
      if (share < 1) joints[joint] = moved(atRest[joint]!, subtract(estimated[joint]!, atRest[joint]!), share)
    }
  }
  return { habit: { posture, evidence: lasting, swing }, joints, observed }
}
