/**
 * The solids of a body: trunk, head and limbs as elliptic cylinders.
 *
 * Radii are those of an adult of girth 1; the front of chest and abdomen moves with the breath.
 */
import { keypointNames } from "../../core/pose/skeleton.ts"
import type { Posture } from "../bodies/body.ts"
import type { Place } from "../rooms/floor-plan.ts"
import type { Random } from "../randomness/random.ts"
import { pieceStride, screenStride, type Solids } from "../radio/solids.ts"

type Keypoint = typeof keypointNames[number]

/** Rods from one keypoint to another; `reach` extends them beyond the second, to hands. */
const rods: ReadonlyArray<
  { readonly from: Keypoint; readonly to: Keypoint; readonly reach: number; readonly radiusM: number }
> = (["left", "right"] as const).flatMap((side) =>
  [
    { from: `${side}_shoulder`, to: `${side}_elbow`, reach: 1, radiusM: 0.045 },
    { from: `${side}_elbow`, to: `${side}_wrist`, reach: 1.5, radiusM: 0.036 },
    { from: `${side}_hip`, to: `${side}_knee`, reach: 1, radiusM: 0.075 },
    { from: `${side}_knee`, to: `${side}_ankle`, reach: 1.1, radiusM: 0.05 },
  ] as const
)
const piecesPerRod = 2

/** Parts of the trunk along its axis, and which of a posture's scatterers shows the breath of the part. */
const trunk = [
  { from: 0, to: 0.45, halfWidthM: 0.155, scatterer: 4 },
  { from: 0.45, to: 0.72, halfWidthM: 0.165, scatterer: 1 },
  { from: 0.72, to: 1, halfWidthM: 0.17, scatterer: 1 },
] as const
const trunkHalfDepthM = 0.1

const headScatterer = 0
/** Head between these multiples of the way from the neck to the middle of the head. */
const head = { from: 0.4, to: 1.6, radiusM: 0.08 } as const
const feet = { radiusM: 0.04, scatterers: [15, 25] } as const

const trunkPieces = trunk.length + 1
const pieceCount = trunkPieces + rods.length * piecesPerRod + feet.scatterers.length

/** The legs' screen: both together, hips to ankles. */
const legsHalfM = 0.11
const screenCount = 2

const indexOf = (name: Keypoint): number => keypointNames.indexOf(name)
const ends = rods.map(({ from, to }) => [indexOf(from), indexOf(to)] as const)
const shoulders = [indexOf("left_shoulder"), indexOf("right_shoulder")] as const
const ankles = [indexOf("left_ankle"), indexOf("right_ankle")] as const

/** Cross sections of a man at 2.4 to 5 GHz over all bearings lie within this range (Schultz 1958). */
const crossSectionsM2 = { min: 0.1, max: 1.9 } as const

/** The strength of a person's echo, evenly distributed on a logarithmic scale. */
export const drawCrossSection = (random: Random): number =>
  crossSectionsM2.min * (crossSectionsM2.max / crossSectionsM2.min) ** random.uniform()

interface BodySolids {
  readonly solids: Solids
  /** Updates the solids from a body in home coordinates, for a room at `origin`. */
  readonly follow: (posture: Posture, origin: Place) => void
}

/** Writes the part [from, to] of the way from the point at `aAt` of `a` to the one at `bAt` of `b`, less an origin. */
const writePart = (
  into: Float64Array,
  at: number,
  a: Float64Array,
  aAt: number,
  b: Float64Array,
  bAt: number,
  from: number,
  to: number,
  [x, y]: Place,
): void => {
  for (let axis = 0; axis < 3; axis++) {
    const origin = axis === 0 ? x : axis === 1 ? y : 0
    const start = a[aAt + axis]! - origin
    const way = b[bAt + axis]! - a[aAt + axis]!
    into[at + axis] = start + from * way
    into[at + 3 + axis] = start + to * way
  }
}

/** Writes unit vectors to the left and to the front of a trunk. */
const writeAxes = ({ keypoints, neck, pelvis }: Posture, left: Float64Array, forward: Float64Array): void => {
  const [l, r] = shoulders
  let width = 0
  let height = 0
  for (let axis = 0; axis < 3; axis++) {
    left[axis] = keypoints[3 * l + axis]! - keypoints[3 * r + axis]!
    width += left[axis]! ** 2
    height += (neck[axis]! - pelvis[axis]!) ** 2
  }
  const scale = 1 / Math.max(1e-9, Math.sqrt(width))
  for (let axis = 0; axis < 3; axis++) left[axis]! *= scale
  const upScale = 1 / Math.max(1e-9, Math.sqrt(height))
  const ux = (neck[0] - pelvis[0]) * upScale, uy = (neck[1] - pelvis[1]) * upScale, uz = (neck[2] - pelvis[2]) * upScale
  forward[0] = left[1]! * uz - left[2]! * uy
  forward[1] = left[2]! * ux - left[0]! * uz
  forward[2] = left[0]! * uy - left[1]! * ux
}

/** Creates the solids of a body with a cross section; `follow` places them. */
export const createBodySolids = (girth: number, crossSectionM2: number): BodySolids => {
  const pieces = new Float64Array(pieceCount * pieceStride)
  const screens = new Float64Array(screenCount * screenStride)
  const left = new Float64Array(3)
  const forward = new Float64Array(3)
  const feetMiddle = new Float64Array(3)
  const depthM = trunkHalfDepthM * girth

  const placeTrunk = (posture: Posture, origin: Place): void => {
    const { neck, pelvis, scatterers } = posture
    trunk.forEach(({ from, halfWidthM, scatterer, to }, i) => {
      const at = i * pieceStride
      writePart(pieces, at, pelvis, 0, neck, 0, from, to, origin)
      let breathM = -depthM
      for (let axis = 0; axis < 3; axis++) {
        breathM += (scatterers[3 * scatterer + axis]! - pelvis[axis]!) * forward[axis]!
      }
      // The front moves by the whole breath and the back stays: half of it is a shift, half a growth.
      for (let axis = 0; axis < 3; axis++) {
        pieces[at + axis]! += (breathM / 2) * forward[axis]!
        pieces[at + 3 + axis]! += (breathM / 2) * forward[axis]!
      }
      pieces[at + 6] = halfWidthM * girth
      pieces[at + 7] = depthM + breathM / 2
    })
    const at = trunk.length * pieceStride
    writePart(pieces, at, neck, 0, scatterers, 3 * headScatterer, head.from, head.to, origin)
    pieces.fill(head.radiusM, at + 6, at + 8)
  }
  const placeLimbs = ({ keypoints, scatterers }: Posture, origin: Place): void => {
    let at = trunkPieces * pieceStride
    rods.forEach(({ radiusM, reach }, i) => {
      const [from, to] = ends[i]!
      for (let part = 0; part < piecesPerRod; part++, at += pieceStride) {
        const first = (reach * part) / piecesPerRod
        writePart(pieces, at, keypoints, 3 * from, keypoints, 3 * to, first, first + reach / piecesPerRod, origin)
        pieces.fill(radiusM * Math.sqrt(girth), at + 6, at + 8)
      }
    })
    feet.scatterers.forEach((scatterer, i) => {
      writePart(pieces, at, keypoints, 3 * ankles[i]!, scatterers, 3 * scatterer, 0, 2, origin)
      pieces.fill(feet.radiusM, at + 6, at + 8)
      at += pieceStride
    })
  }
  const placeScreens = ({ keypoints, neck, pelvis }: Posture, origin: Place): void => {
    // The first screen reaches to the crown, half of the trunk's height above the neck.
    writePart(screens, 0, pelvis, 0, neck, 0, 0, 1.5, origin)
    screens[6] = 0.165 * girth
    screens[7] = depthM
    for (let axis = 0; axis < 3; axis++) {
      feetMiddle[axis] = (keypoints[3 * ankles[0] + axis]! + keypoints[3 * ankles[1] + axis]!) / 2
    }
    writePart(screens, screenStride, feetMiddle, 0, pelvis, 0, 0, 1, origin)
    screens.fill(legsHalfM * girth, screenStride + 6, screenStride + 8)
  }
  return {
    solids: { pieces, screens, left, trunkPieces, crossSectionM2 },
    follow: (posture, origin) => {
      writeAxes(posture, left, forward)
      placeTrunk(posture, origin)
      placeLimbs(posture, origin)
      placeScreens(posture, origin)
    },
  }
}
