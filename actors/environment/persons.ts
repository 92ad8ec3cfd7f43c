/**
 * The persons of a hop: turns tracks and the bodies of the pose network into the persons of a frame and the samples of the watch.
 *
 * Boundary: pure; tracks are followed in `tracks.ts`, the order of a hop's work is `estimator.ts`.
 */
import { type ActivityProbabilities, activityStates, type TrackSample } from "../../core/activity/sample.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { placeSkeleton } from "../../core/pose/place.ts"
import type { BodyPose } from "../../core/pose/read-pose.ts"
import type { IdentifiedPerson } from "../../core/pose/room-poses.ts"
import { boxOfPerson, projectKeypoints, viewOf } from "../../core/pose/view.ts"
import { hopUs } from "../../core/observation/observation.ts"
import type { SeenBody } from "../../core/tracking/existence.ts"
import type { MotionState } from "../../core/tracking/kalman.ts"
import { motionOf, predictPerson } from "../../core/tracking/person-motion.ts"
import type { Person } from "../../protocols/domain/pose.ts"
import { statusOf } from "../track/machine.ts"
import type { Track } from "./track.ts"

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, value))

/** The motion of a track `lagS` after its own moment, within the room. */
export const motionAfter = (track: Track, lagS: number, geometry: SiteGeometry): MotionState => {
  const ahead = motionOf(predictPerson(track.person, lagS))
  return { ...ahead, x: clamp(ahead.x, geometry.size[0]), y: clamp(ahead.y, geometry.size[1]) }
}

/** A person of a hop: the track, its motion at the end of the hop, and the body where the network gave one. */
interface Followed {
  readonly track: Track
  readonly motion: MotionState
  readonly pose: BodyPose | null
}

/** A track as an input of the pose network. */
export const trackedPersonOf = ({ id, quietHops, snapshot }: Track, motion: MotionState): IdentifiedPerson => ({
  id,
  x: motion.x,
  y: motion.y,
  velocityX: motion.velocityX,
  velocityY: motion.velocityY,
  sigmaM: Math.sqrt(motion.positionVariance),
  ageS: (snapshot.context.age * hopUs) / 1e6,
  restsS: (quietHops * hopUs) / 1e6,
})

/** The network's probabilities of the activities, by name. */
const probabilitiesOf = ({ activities }: BodyPose): ActivityProbabilities =>
  Object.fromEntries(activityStates.map((state, i) => [state, activities[i]!])) as ActivityProbabilities

/** The sample of a person in a hop: place, speed, their uncertainty, and the network's estimate of the body. */
export const sampleOf = ({ motion, pose, track }: Followed, person: Person, hop: number): TrackSample => ({
  trackId: track.id,
  timeS: ((hop + 1) * hopUs) / 1e6,
  place: person.location,
  placeSigmaM: person.locationSigmaM,
  speedMps: Math.hypot(motion.velocityX, motion.velocityY),
  speedSigmaMps: Math.sqrt(motion.velocityVariance),
  pelvis: pose === null ? null : { heightM: pose.pelvis[2], sigmaM: pose.pelvisSigmaM },
  vertical: null,
  activity: pose === null ? null : probabilitiesOf(pose),
  breathingSeen: null,
  existence: track.existence,
  left: track.leaving === "left",
})

/** A person of the frame, with the body of the network or the mean skeleton. The activity is decided by the watch over time. */
export const personOf = ({ motion, pose, track }: Followed, geometry: SiteGeometry): Person => {
  const placed = pose?.keypoints ?? placeSkeleton(motion)
  const view = viewOf(geometry)
  return {
    id: track.id,
    trackStatus: statusOf(track.snapshot),
    trackAge: track.snapshot.context.age,
    confidence: track.existence,
    activity: "unknown",
    location: pose === null ? { x: motion.x, y: motion.y } : { x: pose.pelvis[0], y: pose.pelvis[1] },
    locationSigmaM: pose === null ? Math.sqrt(motion.positionVariance) : pose.pelvisSigmaM,
    velocity: { x: motion.velocityX, y: motion.velocityY },
    boundingBox: boxOfPerson(placed, view, geometry),
    keypoints: projectKeypoints(placed, view, geometry),
    keypoints3d: placed,
    evidenceReason: pose?.evidenceReason ?? null,
  }
}

/** The part of a body that the tracks use. */
export const seenOf = ({ activities, pelvisSigmaM }: BodyPose): SeenBody => ({
  sigmaM: pelvisSigmaM,
  lyingProbability: activities[activityStates.indexOf("lying")]!,
})
