/**
 * Privacy: the form in which personal data are stored.
 *
 * Anonymised data are stored as follows. Live answers, streams and alerts do not change.
 * - Frames keep the number of persons, their positions, confidences and activities, and the presence of the site. They have no keypoints,
 *   boxes, velocities or vital signs. Persons are numbered from 1 within each frame, in an order that is independent of other frames, so
 *   nothing links two frames.
 * - Tracks are not stored, because a track is a link between frames.
 * - Events keep their type, times, place and end, without the id of the person. After a restart, the person of an incident is found again by
 *   the place.
 */
import type { ActivityEvent } from "./event.ts"
import type { Person, PoseFrame } from "./pose.ts"

const notStored = "Vital signs are not stored while data are anonymised."

/** Ordered by position, so that the order does not depend on detection times or confidences. */
const byPlace = ({ location: a }: Person, { location: b }: Person): number => a.x - b.x || a.y - b.y

const anonymousPerson = (person: Person, at: number): Person => ({
  ...person,
  id: at + 1,
  trackAge: 0,
  velocity: { x: 0, y: 0 },
  boundingBox: { x: 0, y: 0, width: 0, height: 0 },
  keypoints: [],
  keypoints3d: [],
  evidenceReason: null,
})

/** A frame as it is stored when data are anonymised. */
export const anonymousFrame = <F extends Pick<PoseFrame, "persons" | "vitals">>(frame: F): F => ({
  ...frame,
  persons: [...frame.persons].sort(byPlace).map(anonymousPerson),
  vitals: {
    breathingRateBpm: null,
    breathingConfidence: 0,
    breathingReason: notStored,
    heartRateBpm: null,
    heartReason: notStored,
  },
})

/** The key of an incident, without a person: that of an intrusion names a place, and that of a room names nobody. */
const anonymousKey = (key: string, { detail, eventId, personId }: ActivityEvent): string =>
  personId === null || detail.type === "intrusion_detection" ? key : `${detail.type}:${eventId}`

/** An event without the id of its person. */
export const anonymousEvent = (event: ActivityEvent): ActivityEvent => ({
  ...event,
  personId: null,
  incident: event.incident === null ? null : { ...event.incident, key: anonymousKey(event.incident.key, event) },
})
