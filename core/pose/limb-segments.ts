/** Arms and legs of the fitted body: their solids and charts, from a joint of the trunk to the tips. */
import type { Vector3 } from "../imaging/geometry.ts"
import { hanging, limbFrame, type SegmentFrame } from "./body-frames.ts"
import { partId, type PartName, type PartSide } from "./body-parts.ts"
import { bodyGirths as girths } from "./body-size.ts"
import { type Segment, solidOf } from "./body-surface.ts"
import { bodyProportions as lengths } from "./skeleton.ts"
import { add, cross, lengthOf, moved, scaled, subtract, unit } from "./vector.ts"

/** Input of all segments of a body. */
export interface Figure {
  readonly heightM: number
  /** In COCO's order, metres. */
  readonly joints: ReadonlyArray<Vector3>
  /** Of the joints, 0..1. */
  readonly confidences: ReadonlyArray<number>
  readonly trunk: SegmentFrame
}

export const sides = ["left", "right"] as const
type Side = typeof sides[number]

/** Two joints, their confidences, and the frame of the segment between them. */
interface Bone {
  readonly name: PartName
  readonly from: Vector3
  readonly to: Vector3
  readonly frame: SegmentFrame
  readonly radiiM: readonly [number, number]
  readonly confidences: readonly [number, number]
}

/** A segment from joint to joint whose first half faces `apart`. */
const boneSegment = (
  { confidences, frame, from, name, radiiM, to }: Bone,
  apart: Vector3,
  halves: readonly [PartSide, PartSide],
): Segment => {
  const lengthM = lengthOf(subtract(to, from))
  return {
    chart: {
      origin: from,
      along: frame.axis,
      fromM: 0,
      toM: lengthM,
      apart,
      across: cross(apart, frame.axis),
      parts: [partId(name, halves[0]), partId(name, halves[1])],
      confidences,
    },
    solids: [solidOf(from, frame, lengthM, radiiM)],
  }
}

/** A hand or a foot: one part around a flat solid, with the confidence of the joint before it. */
const tipSegment = (
  name: PartName,
  origin: Vector3,
  frame: SegmentFrame,
  lengthM: number,
  radii: readonly [number, number],
  unitsM: Vector3,
  confidence: number,
): Segment => {
  const part = partId(name, null)
  return {
    chart: {
      origin,
      along: frame.axis,
      fromM: -radii[0],
      toM: lengthM + radii[1],
      apart: scaled(frame.front, 1 / unitsM[1]),
      across: scaled(frame.left, 1 / unitsM[0]),
      parts: [part, part],
      confidences: [confidence, confidence],
    },
    solids: [solidOf(origin, frame, lengthM, radii, unitsM)],
  }
}

/** Thickness of a hand over its breadth, and height of a foot over its breadth. */
const handFlatness = 0.45
const footFlatness = 0.7
/** Breadth of the fingers' tips over that of the palm. */
const fingersTaper = 0.6

/** Upper arm, forearm and hand of an arm that begins at `shoulder`. */
export const armSegments = (
  { confidences, heightM: h, joints, trunk }: Figure,
  side: Side,
  shoulder: Vector3,
): ReadonlyArray<Segment> => {
  const of = sides.indexOf(side)
  const [elbow, wrist] = [joints[7 + of]!, joints[9 + of]!]
  const upper = limbFrame(shoulder, elbow, hanging(trunk))
  const lower = limbFrame(elbow, wrist, upper)
  // The inner side of a hanging arm faces forward and towards the body.
  const inside = ({ front, left }: SegmentFrame) => unit(add(front, scaled(left, side === "left" ? -1 : 1)), front)
  const upperArm: Bone = {
    name: `${side}_upper_arm`,
    from: shoulder,
    to: elbow,
    frame: upper,
    radiiM: [h * girths.upperArmRadius, h * girths.elbowRadius],
    confidences: [confidences[5 + of]!, confidences[7 + of]!],
  }
  const lowerArm: Bone = {
    name: `${side}_lower_arm`,
    from: elbow,
    to: wrist,
    frame: lower,
    radiiM: [h * girths.elbowRadius, h * girths.wristRadius],
    confidences: [confidences[7 + of]!, confidences[9 + of]!],
  }
  const palmM = h * girths.handBreadth / 2
  const tipsM = fingersTaper * palmM
  const handM = h * girths.handLength - palmM - tipsM
  const palm = moved(wrist, lower.axis, palmM)
  const unitsM: Vector3 = [handFlatness, 1, 1]
  return [
    boneSegment(upperArm, inside(upper), ["inner", "outer"]),
    boneSegment(lowerArm, inside(lower), ["inner", "outer"]),
    tipSegment(`${side}_hand`, palm, lower, handM, [palmM, tipsM], unitsM, confidences[9 + of]!),
  ]
}

/** Share of a foot behind its ankle. */
const heelShare = 0.25

/** Upper leg, lower leg and foot of a leg that begins at `hip`. */
export const legSegments = (
  { confidences, heightM: h, joints, trunk }: Figure,
  side: Side,
  hip: Vector3,
): ReadonlyArray<Segment> => {
  const of = sides.indexOf(side)
  const [knee, ankle] = [joints[13 + of]!, joints[15 + of]!]
  const upper = limbFrame(hip, knee, hanging(trunk))
  const lower = limbFrame(knee, ankle, upper)
  const upperLeg: Bone = {
    name: `${side}_upper_leg`,
    from: hip,
    to: knee,
    frame: upper,
    radiiM: [h * girths.thighRadius, h * girths.kneeRadius],
    confidences: [confidences[11 + of]!, confidences[13 + of]!],
  }
  const lowerLeg: Bone = {
    name: `${side}_lower_leg`,
    from: knee,
    to: ankle,
    frame: lower,
    radiiM: [h * girths.kneeRadius, h * girths.ankleRadius],
    confidences: [confidences[13 + of]!, confidences[15 + of]!],
  }
  // A foot points in the front direction of its shank; its own front is its upper side.
  const foot: SegmentFrame = { left: lower.left, front: scaled(lower.axis, -1), axis: lower.front }
  const [heelM, ballM] = [h * girths.heelBreadth / 2, h * girths.footBreadth / 2]
  const middleM = h * lengths.footHeight - ballM * footFlatness
  const heel = moved(moved(ankle, lower.axis, middleM), foot.axis, heelM - heelShare * h * girths.footLength)
  const footM = h * girths.footLength - heelM - ballM
  return [
    boneSegment(upperLeg, upper.front, ["front", "back"]),
    boneSegment(lowerLeg, lower.front, ["front", "back"]),
    tipSegment(`${side}_foot`, heel, foot, footM, [heelM, ballM], [1, footFlatness, 1], confidences[15 + of]!),
  ]
}
