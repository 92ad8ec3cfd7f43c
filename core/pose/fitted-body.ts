/**
 * The fitted body: a body of rounded solids around 17 keypoints in space.
 *
 * Its surface is not measured: bones come from the keypoints, girths from the mean adult of the same height
 * (`body-size.ts`). It estimates the surface of such a person, and so its outline and visible parts (`render-body.ts`).
 * Its charts number the parts as DensePose does; (u, v) are those of this body, not of DensePose's texture.
 *
 * Invariants:
 * 1. Solids of neighbouring segments share a ball, so that the silhouette is connected.
 * 2. Every joint below the neck lies within a solid.
 */
import type { Vector3, WorldWindow } from "../imaging/geometry.ts"
import { headFrame, trunkFrame } from "./body-frames.ts"
import { partId } from "./body-parts.ts"
import { bodyGirths as girths, bodyHeightM } from "./body-size.ts"
import { capsuleOf, type Chart, reachM, type Segment, type Solid, solidOf } from "./body-surface.ts"
import { armSegments, type Figure, legSegments, sides } from "./limb-segments.ts"
import { bodyProportions as lengths, keypointNames } from "./skeleton.ts"
import { dot, lengthOf, middle, moved, scaled, subtract, unit } from "./vector.ts"

/** A joint in the world frame, metres, and the probability that it is near the truth. */
export interface BodyKeypoint {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly confidence: number
}

/** A solid of a body and its chart. */
export interface BodySolid extends Solid {
  /** Index in `FittedBody.charts`. */
  readonly chart: number
}

export interface FittedBody {
  readonly heightM: number
  readonly solids: ReadonlyArray<BodySolid>
  readonly charts: ReadonlyArray<Chart>
}

/** The two joints, left and right, at which a pair of limbs begins. */
type Pair = readonly [Vector3, Vector3]

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Maximum offset of a limb's first ball from its keypoint, as a share of its radius; so the keypoint stays inside. */
const insetMax = 0.9

/**
 * Moves joints of shoulders and hips, which are near the skin, inwards so that the limbs stay within the body's
 * breadth.
 */
const inset = (joints: Pair, radiusM: number, breadthM: number): Pair => {
  const centre = middle(...joints)
  const inwards = (joint: Vector3): Vector3 => {
    const excessM = lengthOf(subtract(joint, centre)) + radiusM - breadthM / 2
    const direction = unit(subtract(centre, joint), [0, 0, 0])
    return moved(joint, direction, Math.max(0, Math.min(excessM, insetMax * radiusM)))
  }
  return [inwards(joints[0]), inwards(joints[1])]
}

/** Height of the trunk's end balls over their breadth: the lower edge of the lower one is the crotch. */
const trunkRise = (lengths.footHeight + lengths.shank + lengths.thigh - girths.crotchHeight) / (girths.hipBreadth / 2)

/** Thickness of the solid that joins the legs, as a share of theirs, so that it does not extend below them. */
const hipsShare = 0.9

const trunkSegment = ({ confidences, heightM: h, joints, trunk }: Figure, shoulders: Pair, hips: Pair): Segment => {
  const pelvis = middle(joints[11]!, joints[12]!)
  const lengthM = lengthOf(subtract(middle(joints[5]!, joints[6]!), pelvis))
  const radii = [h * girths.hipBreadth / 2, h * girths.chestBreadth / 2] as const
  const depth = girths.trunkDepthShare
  return {
    chart: {
      origin: pelvis,
      along: trunk.axis,
      fromM: -radii[0] * trunkRise,
      toM: lengthM + h * girths.upperArmRadius,
      apart: scaled(trunk.front, 1 / depth),
      across: trunk.left,
      parts: [partId("torso", "front"), partId("torso", "back")],
      confidences: [mean(confidences.slice(11, 13)), mean(confidences.slice(5, 7))],
    },
    solids: [
      solidOf(pelvis, trunk, lengthM - radii[1] * trunkRise, radii, [1, depth, trunkRise]),
      // These join the limbs to the trunk, for any joints.
      capsuleOf(...shoulders, trunk, h * girths.upperArmRadius),
      capsuleOf(...hips, trunk, hipsShare * h * girths.thighRadius),
    ],
  }
}

/** Distance from the ears down to the chin, as a share of the distance from them up to the crown. */
const chinShare = 0.75

const headSegment = ({ confidences, heightM: h, joints, trunk }: Figure): Segment => {
  const frame = headFrame(joints, trunk)
  const halfHeightM = h * girths.earToCrown * (1 + chinShare) / 2
  const halfLengthM = h * girths.headLength / 2
  const breadth = girths.headBreadth / girths.headLength
  const centre = moved(middle(joints[3]!, joints[4]!), frame.axis, h * girths.earToCrown - halfHeightM)
  const neckBase = middle(joints[5]!, joints[6]!)
  const confidence = mean(confidences.slice(0, 5))
  return {
    chart: {
      origin: centre,
      along: frame.axis,
      fromM: Math.min(-halfHeightM, dot(subtract(neckBase, centre), frame.axis)),
      toM: halfHeightM,
      apart: scaled(frame.left, 1 / breadth),
      across: frame.front,
      parts: [partId("head", "left"), partId("head", "right")],
      confidences: [confidence, confidence],
    },
    solids: [
      solidOf(centre, frame, 0, [halfLengthM, halfLengthM], [breadth, 1, halfHeightM / halfLengthM]),
      capsuleOf(neckBase, centre, trunk, h * girths.neckRadius),
    ],
  }
}

/** A body around the keypoints, in COCO's order; null where one is missing or not finite. */
export const fitBody = (keypoints: ReadonlyArray<BodyKeypoint>): FittedBody | null => {
  const joints = keypoints.map(({ x, y, z }): Vector3 => [x, y, z])
  if (joints.length !== keypointNames.length || !joints.every((joint) => joint.every(Number.isFinite))) return null
  const h = bodyHeightM(joints)
  const confidences = keypoints.map(({ confidence }) => confidence)
  const figure: Figure = { heightM: h, joints, confidences, trunk: trunkFrame(joints) }
  const shoulders = inset([joints[5]!, joints[6]!], h * girths.upperArmRadius, h * girths.shoulderBreadth)
  const hips = inset([joints[11]!, joints[12]!], h * girths.thighRadius, h * girths.hipBreadth)
  const segments = [
    trunkSegment(figure, shoulders, hips),
    headSegment(figure),
    ...sides.flatMap((side, of) => [
      ...armSegments(figure, side, shoulders[of]!),
      ...legSegments(figure, side, hips[of]!),
    ]),
  ]
  return {
    heightM: h,
    charts: segments.map(({ chart }) => chart),
    solids: segments.flatMap(({ solids }, chart) => solids.map((solid) => ({ ...solid, chart }))),
  }
}

/** The smallest window that holds the body; exact, because the extents of solids are exact. */
export const silhouetteOf = ({ solids }: FittedBody): WorldWindow => {
  const leftM = Math.min(...solids.map((solid) => solid.origin[0] - reachM(solid, -1, 0, 0)))
  const rightM = Math.max(...solids.map((solid) => solid.origin[0] + reachM(solid, 1, 0, 0)))
  const bottomM = Math.min(...solids.map((solid) => solid.origin[2] - reachM(solid, 0, 0, -1)))
  const topM = Math.max(...solids.map((solid) => solid.origin[2] + reachM(solid, 0, 0, 1)))
  return { leftM, bottomM, widthM: rightM - leftM, heightM: topM - bottomM }
}
