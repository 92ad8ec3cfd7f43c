/**
 * One track of an environment: its Track machine, its motion, its existence, and how a hop changes them.
 *
 * Boundary: pure. Numbers are `core/tracking`, the life of a track is `actors/track/machine.ts`; which detection belongs to which track is
 * decided in `tracks.ts`.
 *
 * Invariant: the trajectory has no state of a moment without evidence for the track.
 */
import { type Place, placesApartM, type SiteGeometry } from "../../core/imaging/geometry.ts"
import type { Detection } from "../../core/imaging/movers.ts"
import type { StillEcho } from "../../core/imaging/still-echo.ts"
import { adultMinM2 } from "../../core/imaging/weak-body.ts"
import { echoEvidence, initialExistence, type SeenBody, updateExistence } from "../../core/tracking/existence.ts"
import { type Footing, footingAfter, turnsInPlace } from "../../core/tracking/displacement-test.ts"
import { type Leaving, leavingAfter } from "../../core/tracking/leaving.ts"
import {
  beginPerson,
  missPerson,
  motionOf,
  type PersonMotion,
  updatePerson,
} from "../../core/tracking/person-motion.ts"
import { beginTrajectory, extendTrajectory, type TrackState, type Trajectory } from "../../core/tracking/trajectory.ts"
import { initialTransition, transition } from "xstate"
import { type HopEventType, statusOf, type TrackLimits, trackMachine, type TrackSnapshot } from "../track/machine.ts"

/** A track whose existence is below this has faded. */
const fadedBelow = 0.02
/** An echo with at least this evidence is as good as a detection. */
const clearEvidence = 1
/** A standing track without evidence from its echo is held while its existence is at least this. */
const heldFrom = 0.3
/**
 * Minimum distance from the place of the first detection at which a person has walked. Both the track and the last detection must be that far
 * away, because the speed of a fan's blades moves a track while its detections stay in place. Beside a known person the distance is larger,
 * because the residue of that person in an image moves with them.
 */
const walkedM = 0.3
const walkedBesideM = 0.4
/** The same for a weak body, whose links must agree on its velocity: the detections of a weak fan are up to 0.8 m apart. */
const weakWalkedM = 0.6
const agreementMin = 1.4
/** A person who lies is kept without an echo after a walk of this length. Reflections seem to walk less far, and fade. */
const walkedInM = 1
/** Weight of a detection in the mean section of a person: the mean covers the last ten or so. */
const sectionWeight = 0.1
/** Least section in the mean, m^2, so that its logarithm is finite. */
const sectionMinM2 = 1e-4

export interface Track {
  readonly id: number
  readonly snapshot: TrackSnapshot
  readonly person: PersonMotion
  /** Probability that the person exists. */
  readonly existence: number
  /** Place of the first detection. */
  readonly from: Place
  /** Null until it is detected moving. */
  readonly footing: Footing | null
  /** Whether it has been detected walking. */
  readonly walked: boolean
  /** Moving cross section while the person walks, m^2, a mean; null before a detection of motion. */
  readonly walkingM2: number | null
  /** Number of detections with at least an adult's section. */
  readonly adultHits: number
  /** Hops since the person was last estimated to stand. */
  readonly walkingHops: number
  /** Whether the person walks out of the room. */
  readonly leaving: Leaving
  /**
   * Whether it has walked or, unless it is weak, has a lasting echo, and does not turn in its place: only such a track counts as a person.
   */
  readonly proven: boolean
  /** Null when the pose network was not asked. */
  readonly seen: SeenBody | null
  /** The places at which it was detected, or held while standing. */
  readonly trajectory: Trajectory
  /** Hops since the last detection, or since the last motion of the room that was not located: a weak body may move so. */
  readonly quietHops: number
}

const adultHitsOf = (sectionM2: number | null): number => sectionM2 !== null && sectionM2 >= adultMinM2 ? 1 : 0

/** The echo of a place where none was measured. */
export const noEcho: StillEcho = { ownSectionM2: null }

const stateOf = (person: PersonMotion, confidence: number, timestampMs: number): TrackState => {
  const { positionVariance, x, y } = motionOf(person)
  return { timestampMs, x, y, sigmaM: Math.sqrt(positionVariance), standing: person.standingProbability, confidence }
}

/** A new track, of a person who was first detected at this time. */
export const beginTrack = (
  { person, walkingM2 }: Pick<Track, "person" | "walkingM2">,
  id: number,
  limits: TrackLimits,
  timestampMs: number,
): Track => ({
  id,
  snapshot: initialTransition(trackMachine, limits)[0],
  person,
  existence: initialExistence,
  from: motionOf(person),
  footing: null,
  walked: false,
  walkingM2,
  adultHits: adultHitsOf(walkingM2),
  walkingHops: 0,
  leaving: "inside",
  proven: false,
  seen: null,
  trajectory: beginTrajectory(stateOf(person, initialExistence, timestampMs)),
  quietHops: 0,
})

/** The evidence of an image for a track. */
interface TrackEvidence {
  /** The detection that was associated with it. */
  readonly detection: Detection | undefined
  readonly echo: StillEcho
  /** Whether a track near it has a detection, which may be of both. */
  readonly hidden: boolean
  /** Whether it is not proven, and a known person is so near that its echo may be theirs. */
  readonly beside: boolean
  /** Whether something moves in the room, and nobody was detected. */
  readonly unlocatedMotion: boolean
  /** Hops since the last image, ten at most. */
  readonly hops: number
  /** Hops by which the track becomes older. */
  readonly newHops: number
  readonly timestampMs: number
  /** Size of the room, metres; null where it is not known. */
  readonly size: SiteGeometry["size"] | null
}

/** The event of a hop without a detection. */
const unmatchedEvent = (track: Track, echo: StillEcho, hidden: boolean): HopEventType => {
  if (track.leaving === "left") return "LEFT"
  if (hidden) return "HELD"
  if (track.person.standingProbability < 0.5) return "MISSED"
  if (echoEvidence(echo) >= clearEvidence) return "MATCHED"
  return track.existence >= heldFrom ? "HELD" : "MISSED"
}

/** The event of a hop; a track that turns in its place, or may be a part of another person, is not counted until it is proven. */
const eventOf = (
  track: Track,
  { proven, turns }: { readonly proven: boolean; readonly turns: boolean },
  { beside, detection, echo, hidden }: TrackEvidence,
): HopEventType => {
  if (detection === undefined) return unmatchedEvent(track, echo, hidden)
  if (proven) return "MATCHED"
  return turns || beside ? "HELD" : "SEEN"
}

/** Whether the person has walked from the place of the first detection, by the track and by the detection. */
const hasWalked = (
  { from, person }: Track,
  detection: Detection,
  beside: boolean,
  weak: boolean,
): boolean => {
  if (weak && detection.velocity.agreement < agreementMin) return false
  const leastM = weak ? weakWalkedM : beside ? walkedBesideM : walkedM
  return placesApartM(from, detection) >= leastM && placesApartM(from, motionOf(person)) >= leastM
}

/** The mean section of a walking person after another detection, or after the first one; geometric, as sections vary by factors. */
const walkingSectionOf = (before: number | null, { crossSectionM2 }: Detection): number => {
  const level = Math.log(Math.max(sectionMinM2, crossSectionM2))
  return Math.exp(before === null ? level : (1 - sectionWeight) * Math.log(before) + sectionWeight * level)
}

/**
 * The life of a track after the event of an image. A confirmed track that is not detected is missed in each hop since the last image; a
 * tentative one is missed once, because it may be seen in every other image only.
 */
const after = (
  snapshot: TrackSnapshot,
  type: HopEventType,
  { hops, newHops }: Pick<TrackEvidence, "hops" | "newHops">,
): TrackSnapshot => {
  const times = type === "MISSED" && statusOf(snapshot) !== "tentative" ? hops : 1
  let next = snapshot
  for (let i = 0; i < times && statusOf(next) !== "ended"; i++) {
    next = transition(trackMachine, next, { type, hops: i === 0 ? newHops : 0 })[0]
  }
  return next
}

/** Whether an unproven track of a weak body begins anew with a detection, because it turns out to be as strong as an adult's. */
const beginsAnew = ({ adultHits, proven }: Track, { crossSectionM2 }: Detection): boolean =>
  !proven && adultHits === 0 && crossSectionM2 >= adultMinM2

/** A track after an image. */
export const followTrack = (track: Track, given: TrackEvidence): Track => {
  const { beside, detection, hops, timestampMs } = given
  if (detection !== undefined && track.walkingM2 !== null && beginsAnew(track, detection)) {
    const first = { person: beginPerson(detection), walkingM2: detection.crossSectionM2 }
    return beginTrack(first, track.id, track.snapshot.context.limits, timestampMs)
  }
  const echo = beside ? noEcho : given.echo
  const person = detection === undefined ? missPerson(track.person, hops) : updatePerson(track.person, detection, hops)
  const still = beside ? noEcho : detection?.still ?? echo
  const footing = detection === undefined ? track.footing : footingAfter(track.footing, detection)
  const turns = footing !== null && turnsInPlace(footing)
  const walkingHops = person.standingProbability > 0.5 ? 0 : track.walkingHops + hops
  const { size } = given
  const leaving = size === null
    ? track.leaving
    : leavingAfter({ leaving: track.leaving, detection, motion: motionOf(person), walkingHops }, size)
  const left = leaving === "left"
  const existence = updateExistence(track.existence, {
    movingM2: detection?.crossSectionM2 ?? null,
    turns,
    still,
    // After leaving, a missing detection is no sign of standing or lying.
    standing: left ? 0 : person.standingProbability,
    seen: track.seen,
    walked: track.walked && !left && track.trajectory.movementDistanceM >= walkedInM,
  }, hops)
  const walkingM2 = detection === undefined || (track.walkingM2 !== null && person.standingProbability > 0.5)
    ? track.walkingM2
    : walkingSectionOf(track.walkingM2, detection)
  const adultHits = track.adultHits + adultHitsOf(detection?.crossSectionM2 ?? null)
  // As many detections of an adult's section as confirm a track.
  const weak = walkingM2 !== null && adultHits < track.snapshot.context.limits.hitsMin
  const walked = track.walked || (detection !== undefined && hasWalked({ ...track, person }, detection, beside, weak))
  const proven = !turns && (track.proven || walked || (!weak && echoEvidence(still) > 0))
  const type = existence < fadedBelow ? "FADED" : eventOf(track, { proven, turns }, { ...given, echo })
  const snapshot = after(track.snapshot, type, given)
  const hasEvidence = type !== "MISSED" && type !== "LEFT" && type !== "FADED" && statusOf(snapshot) !== "lost"
  const trajectory = hasEvidence
    ? extendTrajectory(track.trajectory, stateOf(person, existence, timestampMs))
    : track.trajectory
  const quietHops = detection === undefined && !given.unlocatedMotion ? track.quietHops + hops : 0
  return {
    ...track,
    person,
    existence,
    footing,
    walked,
    walkingM2,
    adultHits,
    walkingHops,
    leaving,
    proven,
    snapshot,
    trajectory,
    quietHops,
  }
}

/** A track after hops without CSI. */
export const silencedTrack = (track: Track, hops: number): Track => ({
  ...track,
  snapshot: transition(trackMachine, track.snapshot, { type: "SILENT", hops })[0],
})

/** A track that continues an earlier one of the same person, under its id. */
export const continueTrack = (track: Track, earlier: Track, timestampMs: number): Track => ({
  ...track,
  id: earlier.id,
  snapshot: transition(trackMachine, earlier.snapshot, { type: "MATCHED", hops: 1 })[0],
  trajectory: extendTrajectory(earlier.trajectory, stateOf(track.person, track.existence, timestampMs)),
})
