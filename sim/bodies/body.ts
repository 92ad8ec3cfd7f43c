/**
 * A body: from a pose to the points of a person.
 *
 * Owns the scatterers of a body and its forward kinematics, through which every motion becomes keypoints. Boundary: `pose.ts`
 * defines the channels of a pose; `sim/radio` defines how a scatterer affects a radio wave.
 *
 * 1. Bones keep their lengths in every pose: an ankle that is out of reach is pulled towards its hip.
 * 2. Elbows, wrists and knees are never below the supporting surface (`supportZ`): they give way to the side.
 */
import { keypointNames } from "../../core/pose/skeleton.ts"
import {
  composeFrame,
  createFrame,
  createPoint,
  type LimbPoints,
  placeArm,
  placeAt,
  placeLeg,
  type Point,
  pointIn,
} from "./limbs.ts"
import type { Physique } from "./physique.ts"
import { channel, type Pose, type Side, sides, signOf } from "./pose.ts"

type Segment =
  | "head"
  | "chest"
  | "abdomen"
  | `${Side}_${"upper_arm" | "forearm" | "hand" | "thigh" | "shank" | "foot"}`

/**
 * Radar cross section of a segment in m^2 and the number of points that represent it. The sum is 0.97 m^2 for a whole adult,
 * within the 0.14 to 1.88 m^2 that Schultz (1958) measured for a man; the split between segments is our own choice.
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

/** The scatterers in order: head, chest, abdomen, then the left limbs and the right limbs. */
export const scatterers: ReadonlyArray<{ readonly segment: Segment; readonly rcsM2: number }> = [
  ...trunk,
  ...sides.flatMap((side) =>
    limbs.map(({ name, points, rcsM2 }) => ({ segment: `${side}_${name}` as const, points, rcsM2 }))
  ),
].flatMap(({ points, rcsM2, segment }) => Array.from({ length: points }, () => ({ segment, rcsM2: rcsM2 / points })))

/** Points of one side of a posture. */
interface SidePoints {
  readonly eye: Point
  readonly ear: Point
  readonly arm: LimbPoints
  readonly leg: LimbPoints
}

/** The single points of a posture: views of its arrays. */
interface PosturePoints {
  readonly nose: Point
  /** Scatterers of head, chest and abdomen. */
  readonly head: Point
  readonly chest: readonly [Point, Point, Point]
  readonly abdomen: readonly [Point, Point]
  readonly left: SidePoints
  readonly right: SidePoints
}

/** Points of a person in home coordinates, metres. The arrays are overwritten at every instant. */
export interface Posture {
  /** 17 COCO keypoints, x, y, z each. */
  readonly keypoints: Float64Array
  /** In the order of `scatterers`, x, y, z each. */
  readonly scatterers: Float64Array
  /** Middle of the hips and base of the neck: the axis of the trunk, which shadows paths. */
  readonly pelvis: Point
  readonly neck: Point
  readonly points: PosturePoints
}

/** COCO keypoints of the left side; each keypoint of the right side follows its left one. */
const leftKeypoint = { eye: 1, ear: 3, shoulder: 5, elbow: 7, wrist: 9, hip: 11, knee: 13, ankle: 15 } as const
/** First scatterer of the limbs of each side, and how many an arm has. */
const firstLimbScatterer = { left: 6, right: 16 } as const
const armScatterers = 5

const limbScatterers = (points: Float64Array, first: number): LimbPoints["scatterers"] => ({
  upper: [pointIn(points, first), pointIn(points, first + 1)],
  lower: [pointIn(points, first + 2), pointIn(points, first + 3)],
  tip: pointIn(points, first + 4),
})

const sidePoints = (keypoints: Float64Array, points: Float64Array, side: Side): SidePoints => {
  const keypoint = (name: keyof typeof leftKeypoint): Point =>
    pointIn(keypoints, leftKeypoint[name] + (side === "left" ? 0 : 1))
  const first = firstLimbScatterer[side]
  return {
    eye: keypoint("eye"),
    ear: keypoint("ear"),
    arm: {
      root: keypoint("shoulder"),
      joint: keypoint("elbow"),
      end: keypoint("wrist"),
      scatterers: limbScatterers(points, first),
    },
    leg: {
      root: keypoint("hip"),
      joint: keypoint("knee"),
      end: keypoint("ankle"),
      scatterers: limbScatterers(points, first + armScatterers),
    },
  }
}

export const createPosture = (): Posture => {
  const keypoints = new Float64Array(keypointNames.length * 3)
  const points = new Float64Array(scatterers.length * 3)
  return {
    keypoints,
    scatterers: points,
    pelvis: createPoint(),
    neck: createPoint(),
    points: {
      nose: pointIn(keypoints, 0),
      head: pointIn(points, 0),
      chest: [pointIn(points, 1), pointIn(points, 2), pointIn(points, 3)],
      abdomen: [pointIn(points, 4), pointIn(points, 5)],
      left: sidePoints(keypoints, points, "left"),
      right: sidePoints(keypoints, points, "right"),
    },
  }
}

/** Chest points in the frame of the trunk: share of the trunk's height, and metres to the left. */
const chestPlaces = [[0.76, 0], [0.66, 0.075], [0.66, -0.075]] as const
const abdomenHeights = [0.38, 0.14] as const
/** From the trunk's axis to its front. */
const trunkDepthM = 0.1
/** Share of the chest's breathing displacement that the abdomen has. */
const abdomenShare = 0.6

interface Body {
  /** Writes the points of a pose; `breathM` is the displacement of the chest wall, `pulseM` that of a heartbeat. */
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

  const placeTrunk = ({ neck, pelvis, points }: Posture, breathM: number, pulseM: number): void => {
    for (const [i, point] of points.chest.entries()) {
      const [height, left] = chestPlaces[i]!
      placeAt(pelvis, chest, depthM + breathM + pulseM, left, height * trunkM, point)
    }
    for (const [i, point] of points.abdomen.entries()) {
      placeAt(pelvis, chest, depthM + abdomenShare * breathM, 0, abdomenHeights[i]! * trunkM, point)
    }
    placeAt(neck, head, 0, 0, 0.62 * headM, points.head)
    placeAt(neck, head, face.noseForward, 0, face.noseRise * headM, points.nose)
    for (const side of sides) {
      const sign = signOf(side)
      placeAt(neck, head, face.eyeForward, sign * face.eyeAside, face.eyeRise * headM, points[side].eye)
      placeAt(neck, head, 0, sign * face.earAside, face.earRise * headM, points[side].ear)
    }
  }

  const place = (pose: Pose, breathM: number, pulseM: number, into: Posture): void => {
    const { neck, pelvis, points } = into
    pelvis[0] = pose[channel.pelvisX]
    pelvis[1] = pose[channel.pelvisY]
    pelvis[2] = pose[channel.pelvisZ]
    const yaw = pose[channel.yaw]
    ground.forward[0] = Math.cos(yaw)
    ground.forward[1] = Math.sin(yaw)
    ground.left[0] = -ground.forward[1]
    ground.left[1] = ground.forward[0]
    ground.up[2] = 1
    composeFrame(ground, pose[channel.tiltForward], pose[channel.tiltLeft], pose[channel.twist], hips)
    composeFrame(hips, pose[channel.spineForward], pose[channel.spineLeft], pose[channel.spineTwist], chest)
    composeFrame(chest, pose[channel.neckForward], 0, pose[channel.headTurn], head)
    placeAt(pelvis, chest, 0, 0, trunkM, neck)
    placeTrunk(into, breathM, pulseM)
    for (const side of sides) {
      const { arm, leg } = points[side]
      placeAt(neck, chest, 0, signOf(side) * physique.shoulderHalfM, 0, arm.root)
      placeArm(physique, pose, side, chest, arm)
      placeAt(pelvis, hips, 0, signOf(side) * physique.hipHalfM, 0, leg.root)
      placeLeg(physique, pose, side, hips, leg)
    }
  }
  return { place }
}
