/**
 * Leaving: whether a tracked person has walked out of the room.
 *
 * A body passes a wall through a door only. The detections of a walker who leaves end before the wall, because nothing beyond it is imaged, while
 * the motion goes on outwards, so that the person must be beyond the wall by now. A person who turns, stands or falls beside a wall slows down before.
 * Without this, the pose network takes the end of the echoes for a fall, and then a still body for a person who lies at the door.
 */
import { type Place, type SiteGeometry, wallDistancesM } from "../imaging/geometry.ts"
import { lagS } from "../imaging/matched-field.ts"
import type { MotionState } from "./kalman.ts"

/** In the room, walking towards a wall that is near, or out of the room. */
export const leavingStates = ["inside", "at_wall", "left"] as const
export type Leaving = typeof leavingStates[number]

/** A detection nearer to a wall than this is at the wall; an image often shows a walker too far inside. */
const atWallM = 0.6
/** Slower motion outwards may be an error of the estimate. */
const outwardMpsMin = 0.3
/** A person who must be this far beyond the wall by now has passed it. */
const beyondM = 0.15
/** A track at least this far from all walls is in the room again. */
const insideM = 0.5
/** Least time of the walk to the wall, in hops: a person who falls beside a wall seems to walk for some hops. */
const walkHopsMin = 8

/** A track in a hop. */
interface Walk {
  /** The state of the hop before. */
  readonly leaving: Leaving
  /** The detection of the hop, metres; undefined without one. */
  readonly detection: Place | undefined
  /** The motion of the track after it. */
  readonly motion: MotionState
  /** Hops since the person was last estimated to stand. */
  readonly walkingHops: number
}

/**
 * The state after a hop.
 *
 * @param size of the room, metres
 */
export const leavingAfter = (
  { detection, leaving, motion, walkingHops }: Walk,
  size: SiteGeometry["size"],
): Leaving => {
  const { velocityX, velocityY, x, y } = motion
  if (leaving === "left") {
    return wallDistancesM(motion, size).every((distanceM) => distanceM >= insideM) ? "inside" : "left"
  }
  const outwardMps = [-velocityX, velocityX, -velocityY, velocityY]
  const detectedM = detection === undefined ? null : wallDistancesM(detection, size)
  const isAtWall = detectedM === null ? leaving === "at_wall" : walkingHops >= walkHopsMin &&
    detectedM.some((distanceM, wall) => distanceM < atWallM && outwardMps[wall]! >= outwardMpsMin)
  if (!isAtWall) return "inside"
  // An image describes the moment `lagS` ago.
  const nowM = wallDistancesM({ x: x + lagS * velocityX, y: y + lagS * velocityY }, size)
  return nowM.some((distanceM) => distanceM < -beyondM) ? "left" : "at_wall"
}
