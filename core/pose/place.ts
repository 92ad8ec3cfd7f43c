/**
 * Placement of the mean skeleton: a pose from a place and a velocity.
 *
 * The keypoints are those of the mean adult at the tracked place; no joint is observed. Their sigma reflects this, and
 * their confidence is the probability that a keypoint is within 0.3 m of the truth. Boundary: the skeleton itself is in
 * `skeleton.ts`, its projection in `view.ts`.
 */
import type { MotionState } from "../tracking/kalman.ts"
import { type KeypointName, keypointNames, meanSkeleton, skeletonSigmasM } from "./skeleton.ts"

/** A keypoint in the world frame, metres. */
export interface PlacedKeypoint {
  readonly name: KeypointName
  readonly x: number
  readonly y: number
  readonly z: number
  /** Standard deviation of the position relative to the pelvis, per axis. */
  readonly sigmaM: number
  /** P(error < 0.3 m), 0..1. */
  readonly confidence: number
  /** Whether the joint's own echo supports its position; null if that is not known. */
  readonly observed: boolean | null
}

/** Below this speed the direction of motion does not indicate a person's orientation. */
const headingSpeedMinMps = 0.3

/** Distance within which a keypoint counts as correct. */
const toleranceM = 0.3

/** The viewer looks along +y, so a person who faces the viewer looks along -y. */
const towardsViewerRad = -Math.PI / 2

/** Error function, Abramowitz and Stegun 7.1.26, error below 1.5e-7, for x >= 0. */
const errorFunction = (x: number): number => {
  const t = 1 / (1 + 0.3275911 * x)
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return 1 - series * Math.exp(-x * x)
}

/**
 * Probability that a point with an isotropic normal error of `sigmaM` per axis is within `radiusM`: the length of the
 * error has Maxwell's distribution, P = erf(a / sqrt 2) - sqrt(2 / pi) a e^{-a^2 / 2} with a = radius / sigma.
 */
const probabilityWithin = (radiusM: number, sigmaM: number): number => {
  const a = radiusM / sigmaM
  const p = errorFunction(a / Math.SQRT2) - Math.sqrt(2 / Math.PI) * a * Math.exp((-a * a) / 2)
  return Math.max(0, Math.min(1, p))
}

/** The 17 keypoints of a tracked person, in COCO's order. */
export const placeSkeleton = (motion: MotionState): ReadonlyArray<PlacedKeypoint> => {
  const speed = Math.hypot(motion.velocityX, motion.velocityY)
  const knowsHeading = speed > headingSpeedMinMps
  const heading = knowsHeading ? Math.atan2(motion.velocityY, motion.velocityX) : towardsViewerRad
  // Mean of 1 - cos(error) over headings: for a normal error while walking, for any heading otherwise.
  const headingVariance = motion.velocityVariance / (speed * speed)
  const turned = knowsHeading ? 1 - Math.exp(-headingVariance / 2) : 1
  const forwardX = Math.cos(heading)
  const forwardY = Math.sin(heading)
  return meanSkeleton.map(([forward, aside, up], i) => {
    // Mean square errors add up: of the joint (three axes), of the rotation by a wrong heading, and of the place (two).
    const ofPose = 3 * skeletonSigmasM[i]! ** 2 + 2 * (forward * forward + aside * aside) * turned
    const ofPlace = 2 * motion.positionVariance
    return {
      name: keypointNames[i]!,
      x: motion.x + forward * forwardX - aside * forwardY,
      y: motion.y + forward * forwardY + aside * forwardX,
      z: up,
      sigmaM: Math.sqrt(ofPose / 3),
      confidence: probabilityWithin(toleranceM, Math.sqrt((ofPose + ofPlace) / 3)),
      observed: false,
    }
  })
}
