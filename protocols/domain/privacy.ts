/**
 * Privacy: in which form what tells about persons is kept.
 *
 * What is stored when data are anonymised (live answers and streams are not changed by it, and alerts neither):
 * - frames keep how many persons there are, where, how sure, what they do, and what the site says of presence. They have no keypoints,
 *   boxes or velocities, no vital signs, and persons are numbered from 1 within each frame, in no order that the next frame shares:
 *   nothing links two frames.
 * - tracks are not stored: a track is nothing but the link between frames.
 * - events keep what happened, when, where and how it ended, and lose the id of the person.
 */
import type { ActivityEvent } from "./event.ts"
import type { Person, PoseFrame } from "./pose.ts"

const notStored = "Vital signs are not stored while data are anonymised."

/** By place, so that the order says nothing of who was seen first or most surely. */
const byPlace = ({ location: a }: Person, { location: b }: Person): number => a.x - b.x || a.y - b.y

const anonymousPerson = (person: Person, at: number): Person => ({
  ...person,
  id: at + 1,
  trackAge: 0,
  velocity: { x: 0, y: 0 },
  boundingBox: { x: 0, y: 0, width: 0, height: 0 },
  keypoints: [],
  keypoints3d: [],
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

/** An event without the id of its person; the key of an incident would give it away. */
export const anonymousEvent = (event: ActivityEvent): ActivityEvent => ({
  ...event,
  personId: null,
  incident: event.incident === null ? null : { ...event.incident, key: `${event.detail.type}:${event.eventId}` },
})
