/**
 * The tracks of an environment: the Track machines that it supervises, with their motion and existence.
 *
 * Boundary: numbers are `core/tracking`, the life of one track is `actors/track/machine.ts`; this file brings a hop's image to them.
 * Pure but for its own state; ids are given by the caller and die with their track.
 *
 * Invariants: at most `tracksMax` tracks, the surest first, and `endedMax` that ended, the last one first; a track's motion is at the
 * moment that the last image described; its trajectory has no state of a moment at which nothing spoke for it.
 */
import { type Place, placesApartM, type SiteGeometry } from "../../core/imaging/geometry.ts"
import type { ExpectedPerson, RoomImage } from "../../core/imaging/matched-field.ts"
import type { Detection } from "../../core/imaging/movers.ts"
import type { StillEcho } from "../../core/imaging/still-echo.ts"
import { associate } from "../../core/tracking/association.ts"
import { echoEvidence, initialExistence, updateExistence } from "../../core/tracking/existence.ts"
import { type Footing, footingAfter, turnsInPlace } from "../../core/tracking/displacement-test.ts"
import {
  beginPerson,
  beginStill,
  missPerson,
  motionOf,
  type PersonMotion,
  predictPerson,
  stands,
  updatePerson,
} from "../../core/tracking/person-motion.ts"
import { beginTrajectory, extendTrajectory, type TrackState, type Trajectory } from "../../core/tracking/trajectory.ts"
import { initialTransition, transition } from "xstate"
import {
  defaultTrackLimits,
  statusOf,
  type TrackEvent,
  type TrackLimits,
  trackMachine,
  type TrackSnapshot,
} from "../track/machine.ts"
import { leftBehind } from "./track-handover.ts"

/** Candidates that are followed at one time, tentative ones included. */
const tracksMax = 32
/** Confirmed tracks that have ended and can still be asked for. */
const endedMax = 32
/** A track whose existence is below this has faded. */
const fadedBelow = 0.02
/** An echo that says at least this is as good as a detection. */
const clearEvidence = 1
/** Of an echo that says nothing, a track that stands is held while it is likelier than this. */
const heldFrom = 0.3
/** Two tracks nearer than this may share one detection. */
const hidesM = 0.8
/**
 * So near to a person who is known, what was never seen to walk is taken for a part of them: who lies is longer than an array resolves, and
 * walls mirror who stands beside them.
 */
const partM = 1.1
/**
 * A person has walked when they are this far from where they were first seen: both the track and what was just seen, for the speed of a
 * fan's blades carries a track away from a place that it is seen at all the while. Beside a person who is known it takes more, for what they
 * leave in an image strays with them.
 */
const walkedM = 0.3
const walkedBesideM = 0.4

export interface Track {
  readonly id: number
  readonly snapshot: TrackSnapshot
  readonly person: PersonMotion
  /** Probability that there is a person. */
  readonly existence: number
  /** Where it was first seen. */
  readonly from: Place
  /** Null until it is seen to move. */
  readonly footing: Footing | null
  /** Whether it has been seen to walk. */
  readonly walked: boolean
  /** Whether it has been seen to walk or to have an echo that stays, and does not turn in its place: nothing else is taken for a person. */
  readonly proven: boolean
  /** How surely the pose network last saw the body: standard deviation of the hips per axis, metres; null when it was not asked. */
  readonly seenSigmaM: number | null
  /** Where it was seen, or held where it stood. */
  readonly trajectory: Trajectory
}

/** The part of an image that tracks are made from. */
export type TrackedImage = Pick<RoomImage, "detections" | "echoes" | "still">

export interface Tracks {
  /** Where the tracks are expected `elapsedS` after the last image, in the order of the echoes that `step` wants. */
  readonly expected: (elapsedS: number) => ReadonlyArray<ExpectedPerson>
  /** Brings in the image of the moment `timestampMs`, `elapsedS` after the last one; answers all living tracks. */
  readonly step: (image: TrackedImage, elapsedS: number, timestampMs: number) => ReadonlyArray<Track>
  /** Brings in what the pose network says of tracks after that image: the standard deviation of the hips per axis, metres, by id. */
  readonly see: (sigmasM: ReadonlyMap<number, number>) => void
  readonly current: () => ReadonlyArray<Track>
  /** Tracks that were persons and have ended since the last reset, the last one first. */
  readonly ended: () => ReadonlyArray<Track>
  readonly configure: (limits: TrackLimits, personsMax: number) => void
  readonly reset: () => void
}

const unheard: StillEcho = { ownSectionM2: null }

const stateOf = (person: PersonMotion, confidence: number, timestampMs: number): TrackState => {
  const { positionVariance, x, y } = motionOf(person)
  return { timestampMs, x, y, sigmaM: Math.sqrt(positionVariance), standing: person.standingProbability, confidence }
}

const born = (person: PersonMotion, id: number, limits: TrackLimits, timestampMs: number): Track => ({
  id,
  snapshot: initialTransition(trackMachine, limits)[0],
  person,
  existence: initialExistence,
  from: motionOf(person),
  footing: null,
  walked: false,
  proven: false,
  seenSigmaM: null,
  trajectory: beginTrajectory(stateOf(person, initialExistence, timestampMs)),
})

/** What this hop is for a track that was not matched. */
const unmatchedEvent = (track: Track, echo: StillEcho, hidden: boolean): TrackEvent["type"] => {
  if (hidden) return "HELD"
  if (track.person.standingProbability < 0.5) return "MISSED"
  if (echoEvidence(echo) >= clearEvidence) return "MATCHED"
  return track.existence >= heldFrom ? "HELD" : "MISSED"
}

/** What a hop has for a track. */
interface Hop {
  /** The one that is its own. */
  readonly detection: Detection | undefined
  readonly heard: StillEcho
  readonly hidden: boolean
  /** Whether it was not proven yet, and a person who is known is so near that its echo may be theirs. */
  readonly beside: boolean
  readonly timestampMs: number
}

/** What this hop is for a track; what turns in its place, or may be a part of another, is not counted until it is proven. */
const eventOf = (
  track: Track,
  { proven, turns }: { readonly proven: boolean; readonly turns: boolean },
  { beside, detection, heard, hidden }: Hop,
): TrackEvent["type"] => {
  if (detection === undefined) return unmatchedEvent(track, heard, hidden)
  if (proven) return "MATCHED"
  return turns || beside ? "HELD" : "SEEN"
}

/** Whether somebody has walked from where they were first seen, by the track and by what is seen of it. */
const hasWalked = ({ from }: Track, person: PersonMotion, detection: Detection, beside: boolean): boolean => {
  const leastM = beside ? walkedBesideM : walkedM
  return placesApartM(from, detection) >= leastM && placesApartM(from, motionOf(person)) >= leastM
}

/**
 * Who keeps still beside somebody who has walked here is taken for what that person changes in the room: whoever else is there came in as
 * they did, and of 132 simulated scenes no such place had a person of its own. Who was there before anyone looked has walked nowhere.
 */
const isWalker = ({ snapshot, walked }: Track): boolean => walked && statusOf(snapshot) !== "tentative"

/** A track after a hop. */
const followed = (track: Track, given: Hop): Track => {
  const { beside, detection, timestampMs } = given
  const heard = beside ? unheard : given.heard
  const hop = { ...given, heard }
  const person = detection === undefined ? missPerson(track.person) : updatePerson(track.person, detection)
  const still = beside ? unheard : detection?.still ?? heard
  const footing = detection === undefined ? track.footing : footingAfter(track.footing, detection)
  const turns = footing !== null && turnsInPlace(footing)
  const existence = updateExistence(track.existence, {
    movingM2: detection?.crossSectionM2 ?? null,
    turns,
    still,
    standing: person.standingProbability,
    seenSigmaM: track.seenSigmaM,
  })
  const walked = track.walked || (detection !== undefined && hasWalked(track, person, detection, beside))
  const proven = !turns && (track.proven || walked || echoEvidence(still) > 0)
  const type = existence < fadedBelow ? "FADED" : eventOf(track, { proven, turns }, hop)
  const snapshot = transition(trackMachine, track.snapshot, { type })[0]
  const spokenFor = type !== "MISSED" && type !== "FADED" && statusOf(snapshot) !== "lost"
  const trajectory = spokenFor
    ? extendTrajectory(track.trajectory, stateOf(person, existence, timestampMs))
    : track.trajectory
  return { ...track, person, existence, footing, walked, proven, snapshot, trajectory }
}

/** A person who was known before, and set off unseen, under the id that they had. */
const returned = (track: Track, before: Track, timestampMs: number): Track => ({
  ...track,
  id: before.id,
  snapshot: transition(trackMachine, before.snapshot, { type: "MATCHED" })[0],
  trajectory: extendTrajectory(before.trajectory, stateOf(track.person, track.existence, timestampMs)),
})

/** @param size of the room, metres; null where it is not known */
export const createTracks = (nextId: () => number, size: SiteGeometry["size"] | null): Tracks => {
  let tracks: ReadonlyArray<Track> = []
  let ended: ReadonlyArray<Track> = []
  let limits = defaultTrackLimits
  let personsMax = tracksMax

  const step: Tracks["step"] = ({ detections, echoes, still }, elapsedS, timestampMs) => {
    const predicted = tracks.map((track) => ({ ...track, person: predictPerson(track.person, elapsedS) }))
    const places = predicted.map(({ person }) => motionOf(person))
    const { detectionOfTrack, newDetections } = associate(places, detections)
    const matched = (i: number): Detection | undefined => detections[detectionOfTrack[i] ?? -1]
    const next = predicted.map((track, i) => {
      const hidden = places.some((place, j) => matched(j) !== undefined && placesApartM(place, places[i]!) < hidesM)
      const beside = !track.proven &&
        predicted.some(({ proven }, j) => proven && placesApartM(places[j]!, places[i]!) < partM)
      return followed(track, { detection: matched(i), heard: echoes[i] ?? unheard, hidden, beside, timestampMs })
    })
    const confirmed = next.filter(({ snapshot }, i) =>
      statusOf(snapshot) === "active" && statusOf(tracks[i]!.snapshot) === "tentative"
    )
    const unseen = next.filter((_, i) => matched(i) === undefined)
    const before = size === null ? new Map<Track, Track>() : leftBehind(confirmed, unseen, size)
    const replaced = new Set(before.values())
    const living = next
      .filter((track) => statusOf(track.snapshot) !== "ended" && !replaced.has(track))
      .map((track) => before.has(track) ? returned(track, before.get(track)!, timestampMs) : track)
    // What was never confirmed ends from `tentative`, a person from `lost`.
    const gone = next.filter(({ snapshot }, i) =>
      statusOf(snapshot) === "ended" && statusOf(tracks[i]!.snapshot) === "lost"
    )
    ended = [...gone, ...ended].slice(0, endedMax)
    const free = Math.min(tracksMax, 2 * personsMax) - living.length
    const persons = newDetections.map((i) => beginPerson(detections[i]!))
    if (still !== null && !living.some(isWalker)) persons.push(beginStill(still))
    const newborn = persons.slice(0, Math.max(0, free)).map((person) => born(person, nextId(), limits, timestampMs))
    tracks = [...living, ...newborn].sort((a, b) => b.existence - a.existence || a.id - b.id)
    return tracks
  }

  return {
    expected: (elapsedS) =>
      tracks.map(({ person }) => {
        const later = predictPerson(person, elapsedS)
        const { x, y } = motionOf(later)
        return { x, y, stands: stands(later) }
      }),
    step,
    see: (sigmasM) => {
      tracks = tracks.map((track) => ({ ...track, seenSigmaM: sigmasM.get(track.id) ?? null }))
    },
    current: () => tracks,
    ended: () => ended,
    configure: (wanted, most) => {
      limits = wanted
      personsMax = Math.max(1, Math.min(tracksMax, most))
    },
    reset: () => {
      tracks = []
      ended = []
    },
  }
}
