/**
 * The skeleton: names and order of the keypoints, lengths of the body, and the mean adult.
 *
 * Owns the 17 keypoints of COCO and their prior: their places in a standing adult and the deviation of a walking or
 * standing one. Boundary: `place.ts` places the skeleton in a room.
 *
 * Body frame: metres, x forward, y to the left, z up, origin on the floor below the middle of the hips.
 */
import type { Vector3 } from "../imaging/geometry.ts"

/** COCO's keypoints in COCO's order. */
export const keypointNames = [
  "nose",
  "left_eye",
  "right_eye",
  "left_ear",
  "right_ear",
  "left_shoulder",
  "right_shoulder",
  "left_elbow",
  "right_elbow",
  "left_wrist",
  "right_wrist",
  "left_hip",
  "right_hip",
  "left_knee",
  "right_knee",
  "left_ankle",
  "right_ankle",
] as const

export type KeypointName = typeof keypointNames[number]

/**
 * Lengths of body segments as fractions of the body height, after Drillis and Contini (1966) as given in Winter,
 * "Biomechanics and Motor Control of Human Movement".
 */
export const bodyProportions = {
  footHeight: 0.039,
  shank: 0.246,
  thigh: 0.245,
  trunk: 0.288,
  neckAndHead: 0.182,
  upperArm: 0.186,
  forearm: 0.146,
  hand: 0.108,
  shoulderWidth: 0.259,
  hipWidth: 0.191,
} as const

const meanHeightM = 1.7

/** Offsets of the face from the crown line in metres: these barely vary with height. */
export const faceOffsetsM = {
  /** Height of each point as a fraction of `neckAndHead` above the shoulders. */
  noseRise: 0.6,
  eyeRise: 0.72,
  earRise: 0.66,
  noseForward: 0.1,
  eyeForward: 0.085,
  eyeAside: 0.033,
  earAside: 0.075,
} as const

const standing = (): ReadonlyArray<Vector3> => {
  const m = (fraction: number): number => fraction * meanHeightM
  const p = bodyProportions
  const f = faceOffsetsM
  const ankle = m(p.footHeight)
  const knee = ankle + m(p.shank)
  const hip = knee + m(p.thigh)
  const shoulder = hip + m(p.trunk)
  const head = m(p.neckAndHead)
  const both = (forward: number, aside: number, up: number): ReadonlyArray<Vector3> => [
    [forward, aside, up],
    [forward, -aside, up],
  ]
  return [
    [f.noseForward, 0, shoulder + head * f.noseRise],
    ...both(f.eyeForward, f.eyeAside, shoulder + head * f.eyeRise),
    ...both(0, f.earAside, shoulder + head * f.earRise),
    ...both(0, m(p.shoulderWidth) / 2, shoulder),
    ...both(0, m(p.shoulderWidth) / 2, shoulder - m(p.upperArm)),
    ...both(0, m(p.shoulderWidth) / 2, shoulder - m(p.upperArm) - m(p.forearm)),
    ...both(0, m(p.hipWidth) / 2, hip),
    ...both(0, m(p.hipWidth) / 2, knee),
    ...both(0, m(p.hipWidth) / 2, ankle),
  ]
}

/** The mean adult, 1.70 m, standing upright with hanging arms, in the body frame; one point per keypoint. */
export const meanSkeleton: ReadonlyArray<Vector3> = standing()

/**
 * Standard deviation per axis, in metres, of each keypoint of a walking or standing adult from `meanSkeleton`, with
 * known place and heading. Computed from the simulator's walking body (`test/sim/bodies/body.test.ts` repeats it):
 * adults of 1.70 m +- 0.09 m, a third of them standing and the others at 0.6 to 1.2 m/s, over all phases of the gait.
 * Sitting or lying bodies deviate much more.
 */
export const skeletonSigmasM: ReadonlyArray<number> = [
  0.046,
  0.047,
  0.047,
  0.047,
  0.047,
  0.042,
  0.042,
  0.05,
  0.05,
  0.087,
  0.087,
  0.028,
  0.028,
  0.056,
  0.056,
  0.132,
  0.132,
]
