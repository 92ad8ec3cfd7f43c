/**
 * A body: from a pose to the points of a person.
 *
 * Owns the scatterers of a body and its forward kinematics, the one way by which every motion becomes keypoints.
 * Boundary: `pose.ts` says what a pose holds; what a scatterer does to a radio wave is in `sim/radio`.
 *
 * 1. Bones keep their lengths in every pose: an ankle that is out of reach is pulled towards its hip.
 * 2. Elbows, wrists and knees are never below what bears them (`supportZ`): they give way to the side.
 */
import { keypointNames } from "../../core/pose/skeleton.ts"
import { addBent, composeFrame, createFrame, placeArm, placeLeg } from "./limbs.ts"
import type { Physique } from "./physique.ts"
import { channel, type Pose, type Side, sides, signOf } from "./pose.ts"

export type Segment =
  | "head"
  | "chest"
  | "abdomen"
  | `${Side}_${"upper_arm" | "forearm" | "hand" | "thigh" | "shank" | "foot"}`

/**
 * Radar cross section of a segment in m^2 and how many points stand for it. They add up to 0.97 m^2 for a whole adult, within
 * the 0.14 to 1.88 m^2 measured for a man by Schultz (1958); the split between segments is ours.
 */
const limbs = [
  { name: "upper_arm", rcsM2: 0.03, points: 2 },
  { name: "forearm", rcsM2: 0.02, points: 2 },
  { name: "hand", rcsM2: 0.01, points: 1 },
  { name: "thigh", rcsM2: 0.07, points: 2 },
  { name: "shank", rcsM2: 0.05, points: 2 },
  { name: "foot", rcsM2: 0.02, points: 1 },
] as const

const trunk = [
  { segment: "head", rcsM2: 0.04, points: 1 },
  { segment: "chest", rcsM2: 0.25, points: 3 },
  { segment: "abdomen", rcsM2: 0.2, points: 2 },
] as const

/** The scatterers in their order: head, chest, abdomen, then the left limbs and the right ones. */
export const scatterers: ReadonlyArray<{ readonly segment: Segment; readonly rcsM2: number }> = [
  ...trunk,
  ...sides.flatMap((side) =>
    limbs.map(({ name, points, rcsM2 }) => ({ segment: `${side}_${name}` as const, points, rcsM2 }))
  ),
].flatMap(({ points, rcsM2, segment }) => Array.from({ length: points }, () => ({ segment, rcsM2: rcsM2 / points })))

/** Points of a person in home coordinates, metres. The arrays are written anew at every instant. */
export interface Posture {
  /** 17 COCO keypoints, x, y, z each. */
  readonly keypoints: Float64Array
  /** In the order of `scatterers`, x, y, z each. */
  readonly scatterers: Float64Array
  /** Middle of the hips and base of the neck: the axis of the trunk, which shadows paths. */
  readonly pelvis: Float64Array
  readonly neck: Float64Array
}

export const createPosture = (): Posture => ({
  keypoints: new Float64Array(keypointNames.length * 3),
  scatterers: new Float64Array(scatterers.length * 3),
  pelvis: new Float64Array(3),
  neck: new Float64Array(3),
})

/** Chest points in the frame of the trunk: share of the trunk's height, and metres to the left. */
const chestPoints = [[0.76, 0], [0.66, 0.075], [0.66, -0.075]] as const
const abdomenHeights = [0.38, 0.14] as const
/** From the trunk's axis to its front. */
const trunkDepthM = 0.1
const abdomenShare = 0.6
/** First keypoints of the pairs. */
const keypoint = { nose: 0, eye: 1, ear: 3, shoulder: 5, elbow: 7, wrist: 9, hip: 11, knee: 13, ankle: 15 } as const
const scattererIndex = { head: 0, chest: 1, abdomen: 4, limbs: [6, 16] } as const

export interface Body {
  /** Writes where a pose puts the points; `breathM` is how far the chest wall is out, `pulseM` what a heartbeat adds. */
  readonly place: (pose: Pose, breathM: number, pulseM: number, into: Posture) => void
}

/** The forward kinematics of one body. */
export const createBody = (physique: Physique): Body => {
  const ground = createFrame()
  const hips = createFrame()
  const chest = createFrame()
  const head = createFrame()
  const depthM = trunkDepthM * physique.girth
  const { face, headM, trunkM } = physique

  const placeTrunk = (
    pelvis: Float64Array,
    neck: Float64Array,
    breathM: number,
    pulseM: number,
    into: Posture,
  ): void => {
    const points = into.scatterers
    for (let i = 0; i < chestPoints.length; i++) {
      const [height, left] = chestPoints[i]!
      addBent(pelvis, chest, depthM + breathM + pulseM, left, height * trunkM, points, 3 * (scattererIndex.chest + i))
    }
    for (let i = 0; i < abdomenHeights.length; i++) {
      const up = abdomenHeights[i]! * trunkM
      addBent(pelvis, chest, depthM + abdomenShare * breathM, 0, up, points, 3 * (scattererIndex.abdomen + i))
    }
    addBent(neck, head, 0, 0, 0.62 * headM, points, 3 * scattererIndex.head)
    addBent(neck, head, face.noseForward, 0, face.noseRise * headM, into.keypoints, 3 * keypoint.nose)
    for (let side = 0; side < 2; side++) {
      const sign = side === 0 ? 1 : -1
      const eye = 3 * (keypoint.eye + side)
      const ear = 3 * (keypoint.ear + side)
      addBent(neck, head, face.eyeForward, sign * face.eyeAside, face.eyeRise * headM, into.keypoints, eye)
      addBent(neck, head, 0, sign * face.earAside, face.earRise * headM, into.keypoints, ear)
    }
  }

  const place = (pose: Pose, breathM: number, pulseM: number, into: Posture): void => {
    const { keypoints, neck, pelvis } = into
    pelvis[0] = pose[channel.pelvisX]
    pelvis[1] = pose[channel.pelvisY]
    pelvis[2] = pose[channel.pelvisZ]
    const yaw = pose[channel.yaw]
    ground[0] = Math.cos(yaw)
    ground[1] = Math.sin(yaw)
    ground[3] = -ground[1]
    ground[4] = ground[0]
    ground[8] = 1
    composeFrame(ground, pose[channel.tiltForward], pose[channel.tiltLeft], pose[channel.twist], hips)
    composeFrame(hips, pose[channel.spineForward], pose[channel.spineLeft], pose[channel.spineTwist], chest)
    composeFrame(chest, pose[channel.neckForward], 0, pose[channel.headTurn], head)
    addBent(pelvis, chest, 0, 0, trunkM, neck, 0)
    placeTrunk(pelvis, neck, breathM, pulseM, into)
    for (let side = 0; side < 2; side++) {
      const sign = signOf(sides[side]!)
      const first = 3 * scattererIndex.limbs[side]!
      addBent(neck, chest, 0, sign * physique.shoulderHalfM, 0, keypoints, 3 * (keypoint.shoulder + side))
      placeArm(physique, pose, side, chest, into, 3 * (keypoint.shoulder + side), first)
      addBent(pelvis, hips, 0, sign * physique.hipHalfM, 0, keypoints, 3 * (keypoint.hip + side))
      placeLeg(physique, pose, side, hips, into, 3 * (keypoint.hip + side), first + 15)
    }
  }
  return { place }
}
