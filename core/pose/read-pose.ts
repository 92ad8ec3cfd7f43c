/**
 * A person's pose from the outputs of the network.
 *
 * Owns the meaning of the outputs: keypoints in the room, their sigmas, confidences and evidence. Boundary: the network is
 * `network.ts`; which limbs are drawn at rest is decided in `evidence.ts`.
 */
import { activityStates } from "../activity/sample.ts"
import type { Vector3 } from "../imaging/geometry.ts"
import { sigmoid } from "../kernels/activation.ts"
import { drawJoints, type Drawn, type Habit } from "./evidence.ts"
import { outputLayout, type PoseNetwork } from "./network.ts"
import { type Heading, toRoom, type TrackedPerson } from "./person-input.ts"
import type { PlacedKeypoint } from "./place.ts"
import { keypointNames } from "./skeleton.ts"
import { middle } from "./vector.ts"

/** The network's estimate of a body. */
export interface BodyPose {
  /** The 17 keypoints in the room; a confidence is the probability that one is within 0.3 m of the truth. */
  readonly keypoints: ReadonlyArray<PlacedKeypoint>
  /** Why it is not known which keypoints are observed; null if it is known. */
  readonly evidenceReason: string | null
  /** Probability of each of `activityStates`, in that order. */
  readonly activities: ReadonlyArray<number>
  /** The middle of the hips, metres. */
  readonly pelvis: readonly [x: number, y: number, z: number]
  /** Its standard deviation per axis: the errors of both hips are mostly one error. */
  readonly pelvisSigmaM: number
  readonly linksUsed: number
}

const softmax = (logits: Float32Array): ReadonlyArray<number> => {
  const highest = Math.max(...logits)
  const weights = Array.from(logits, (logit) => Math.exp(logit - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

const leftHip = keypointNames.indexOf("left_hip")
const rightHip = keypointNames.indexOf("right_hip")

/** Smallest sigma of a keypoint relative to the pelvis where the network states none: that of a hip, by the breadth of hips. */
const relativeSigmaMinM = 0.03

const sigmasOf = (logs: Float32Array): ReadonlyArray<number> =>
  Array.from(logs, (log) => Math.exp(Math.max(-5, Math.min(1, log))))

/** Sigmas relative to the pelvis from those in the room: the errors of the pelvis and of a joint about it add up as if independent. */
const aboutPelvis = (sigmasM: ReadonlyArray<number>, pelvisSigmaM: number): ReadonlyArray<number> =>
  sigmasM.map((sigmaM) => Math.sqrt(Math.max(relativeSigmaMinM ** 2, sigmaM ** 2 - pelvisSigmaM ** 2)))

/** A person of whom the network was asked. */
interface Subject {
  readonly person: TrackedPerson
  readonly heading: Heading
  readonly links: number
}

/** One person's pose from the network's outputs for it, and its habit after this hop. */
export const readPose = (
  { heading, links, person }: Subject,
  network: PoseNetwork,
  values: Float32Array,
  before: Habit,
): { readonly pose: BodyPose; readonly habit: Habit } => {
  const { activities, evidence, keypoints, logSigmas, relativeLogSigmas, size, visibility } = outputLayout
  const probabilities = softmax(values.subarray(activities, activities + activityStates.length))
  const estimated = keypointNames.map((_, i): Vector3 => {
    const at = keypoints + 3 * i
    return [...toRoom(person, heading, values[at]!, values[at + 1]!), values[at + 2]!]
  })
  // The network was trained on erroneous tracks and receives the tracker's uncertainty, so its sigmas include the
  // tracker's error.
  const inRoomM = sigmasOf(values.subarray(logSigmas, logSigmas + keypointNames.length))
  const pelvisSigmaM = Math.max(inRoomM[leftHip]!, inRoomM[rightHip]!)
  const { rests } = network
  const speedMps = Math.hypot(person.velocityX, person.velocityY)
  const stated = Array.from(values.subarray(evidence, size))
  const drawn: Drawn | null = rests === null
    ? null
    : drawJoints({ joints: estimated, probabilities, evidence: stated, speedMps }, rests, before)
  const sigmasM = rests === null
    ? aboutPelvis(inRoomM, pelvisSigmaM)
    : sigmasOf(values.subarray(relativeLogSigmas, relativeLogSigmas + keypointNames.length))
  const joints = drawn?.joints ?? estimated
  const pose: BodyPose = {
    keypoints: keypointNames.map((name, i): PlacedKeypoint => {
      const [x, y, z] = joints[i]!
      const confidence = sigmoid(values[visibility + i]!)
      return { name, x, y, z, sigmaM: sigmasM[i]!, confidence, observed: drawn?.observed[i] ?? null }
    }),
    evidenceReason: drawn === null
      ? `The pose network ${network.modelVersion} does not tell observed from inferred keypoints.`
      : null,
    activities: probabilities,
    pelvis: middle(joints[leftHip]!, joints[rightHip]!),
    pelvisSigmaM,
    linksUsed: links,
  }
  return { pose, habit: drawn?.habit ?? before }
}
