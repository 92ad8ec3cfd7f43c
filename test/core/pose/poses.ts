/**
 * Known poses of the mean adult for tests: a skeleton posed by the angles of its joints, in a room.
 */
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import type { PlacedKeypoint } from "../../../core/pose/place.ts"
import { bodyProportions as p, faceOffsetsM as face, keypointNames } from "../../../core/pose/skeleton.ts"
import { add, cross, scaled } from "../../../core/pose/vector.ts"
import { createRandom, uniformIn } from "../../../sim/randomness/random.ts"

const h = 1.7

interface Posed {
  /** Middle of the hips. */
  readonly pelvis: Vector3
  /** Direction of the trunk from the hips to the shoulders, and of its front. */
  readonly up: Vector3
  readonly front: Vector3
  /** Directions of the limbs' segments in the body's own frame (front, left, up), for left then right. */
  readonly upperArms?: readonly [Vector3, Vector3]
  readonly forearms?: readonly [Vector3, Vector3]
  readonly thighs?: readonly [Vector3, Vector3]
  readonly shanks?: readonly [Vector3, Vector3]
}

const down: Vector3 = [0, 0, -1]
const hanging = [down, down] as const

/** The keypoints of the mean adult in a pose. */
const posed = (
  { front, pelvis, up, upperArms = hanging, forearms = hanging, thighs = hanging, shanks = hanging }: Posed,
  confidence = 0.9,
): ReadonlyArray<PlacedKeypoint> => {
  const left = cross(up, front)
  const world = ([f, l, u]: Vector3): Vector3 => add(add(scaled(front, f), scaled(left, l)), scaled(up, u))
  const at = (from: Vector3, offset: Vector3): Vector3 => add(from, world(offset))
  const shoulders = at(pelvis, [0, 0, p.trunk * h])
  const head = p.neckAndHead * h
  const both = (of: (sign: 1 | -1, side: 0 | 1) => Vector3): ReadonlyArray<Vector3> => [of(1, 0), of(-1, 1)]
  const shoulder = both((sign) => at(shoulders, [0, sign * p.shoulderWidth * h / 2, 0]))
  const elbow = both((_, side) => at(shoulder[side]!, scaled(upperArms[side], p.upperArm * h)))
  const wrist = both((_, side) => at(elbow[side]!, scaled(forearms[side], p.forearm * h)))
  const hip = both((sign) => at(pelvis, [0, sign * p.hipWidth * h / 2, 0]))
  const knee = both((_, side) => at(hip[side]!, scaled(thighs[side], p.thigh * h)))
  const ankle = both((_, side) => at(knee[side]!, scaled(shanks[side], p.shank * h)))
  const joints = [
    at(shoulders, [face.noseForward, 0, head * face.noseRise]),
    ...both((sign) => at(shoulders, [face.eyeForward, sign * face.eyeAside, head * face.eyeRise])),
    ...both((sign) => at(shoulders, [0, sign * face.earAside, head * face.earRise])),
    ...[shoulder, elbow, wrist, hip, knee, ankle].flat(),
  ]
  return joints.map(([x, y, z], i) => ({ name: keypointNames[i]!, x, y, z, sigmaM: 0.05, confidence, observed: true }))
}

const hipHeight = (p.footHeight + p.shank + p.thigh) * h
const viewer: Vector3 = [0, -1, 0]
const away: Vector3 = [0, 1, 0]
const rightwards: Vector3 = [1, 0, 0]
const upright: Vector3 = [0, 0, 1]
const standing: Posed = { pelvis: [3, 2.5, hipHeight], up: upright, front: viewer }
const ahead: Vector3 = [1, 0, 0]
const aside = [[0, 1, 0], [0, -1, 0]] as const
const diagonal = Math.SQRT1_2

export const poses = {
  standing: posed(standing),
  standingAway: posed({ ...standing, front: away }),
  standingSideways: posed({ ...standing, front: rightwards }),
  armsAside: posed({ ...standing, upperArms: aside, forearms: aside }),
  armsUp: posed({ ...standing, upperArms: [upright, upright], forearms: [upright, upright] }),
  striding: posed({
    ...standing,
    front: rightwards,
    thighs: [[0.5, 0, -Math.sqrt(0.75)], [-0.4, 0, -Math.sqrt(0.84)]],
    shanks: [[0.2, 0, -Math.sqrt(0.96)], [-0.8, 0, -0.6]],
    upperArms: [[-0.4, 0, -Math.sqrt(0.84)], [0.4, 0, -Math.sqrt(0.84)]],
    forearms: [[0.1, 0, -Math.sqrt(0.99)], [diagonal, 0, -diagonal]],
  }),
  sitting: posed({ ...standing, pelvis: [3, 2.5, 0.5], thighs: [ahead, ahead], forearms: [ahead, ahead] }),
  sittingSideways: posed({
    ...standing,
    front: rightwards,
    pelvis: [3, 2.5, 0.5],
    thighs: [ahead, ahead],
    forearms: [ahead, ahead],
  }),
  /** On the back along x, the head at the left. */
  lying: posed({ pelvis: [3, 2.5, 0.12], up: [-1, 0, 0], front: upright }),
  /** On the back, the feet towards the viewer. */
  lyingAlong: posed({ pelvis: [3, 2.5, 0.12], up: away, front: upright }),
}

/** A pose with every coordinate of every joint moved by up to 8 cm. */
export const jittered = (
  keypoints: ReadonlyArray<PlacedKeypoint>,
  seed: number,
): ReadonlyArray<PlacedKeypoint> => {
  const random = createRandom(seed, "jitter")
  const moved = (value: number): number => value + uniformIn(random, -0.08, 0.08)
  return keypoints.map((keypoint) => ({
    ...keypoint,
    x: moved(keypoint.x),
    y: moved(keypoint.y),
    z: moved(keypoint.z),
  }))
}
