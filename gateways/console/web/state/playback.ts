/**
 * Persons at a moment between two frames. Pure.
 *
 * The picture is a fixed time behind the newest frame, so it moves smoothly; nothing is extrapolated beyond a frame.
 */
import type { Person } from "../service/types.ts"
import type { Received } from "./room.ts"

/** How far the picture is behind the newest frame. */
export const playbackDelayMs = 150
/** Frames further apart than this are not blended: there is a gap. */
const gapMsMax = 500

/** A joint in the room: metres, and how sure. */
interface Joint {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly confidence: number
  /** Relative to the pelvis. */
  readonly sigmaM: number
  /** Null if that is not known. */
  readonly observed: boolean | null
}

export interface ShownPerson {
  readonly id: number
  readonly confidence: number
  readonly activity: string
  readonly x: number
  readonly y: number
  readonly sigmaM: number
  /** In COCO's order; empty where no pose is estimated. */
  readonly joints: ReadonlyArray<Joint>
}

const blend = (from: number, to: number, share: number): number => from + (to - from) * share

const shownOf = ({ activity, confidence, id, keypoints_3d = [], location, location_sigma_m }: Person): ShownPerson => ({
  id,
  confidence,
  activity,
  x: location.x,
  y: location.y,
  sigmaM: location_sigma_m,
  joints: keypoints_3d.map(({ confidence, observed, sigma_m, x, y, z }) => ({
    x,
    y,
    z,
    confidence,
    sigmaM: sigma_m,
    observed,
  })),
})

const between = (from: ShownPerson, to: ShownPerson, share: number): ShownPerson => ({
  ...to,
  x: blend(from.x, to.x, share),
  y: blend(from.y, to.y, share),
  joints: to.joints.map((joint, index) => {
    const before = from.joints[index]
    return before === undefined ? joint : {
      ...joint,
      x: blend(before.x, joint.x, share),
      y: blend(before.y, joint.y, share),
      z: blend(before.z, joint.z, share),
    }
  }),
})

/** Event time that is shown at `nowMs`, from the newest frame's arrival. */
export const shownEventMs = (newest: Received, nowMs: number): number =>
  newest.eventMs + Math.max(0, nowMs - newest.receivedAtMs) - playbackDelayMs

/** The newest frame at `eventMs`, or null before the first one; `frames` is in the order of time. */
export const frameAt = (frames: ReadonlyArray<Received>, eventMs: number): Received | null =>
  frames.findLast((one) => one.eventMs <= eventMs) ?? null

/** The persons at `eventMs`; `frames` is in the order of arrival. */
export const personsAt = (frames: ReadonlyArray<Received>, eventMs: number): ReadonlyArray<ShownPerson> => {
  let after = frames.length
  while (after > 0 && frames[after - 1]!.eventMs > eventMs) after--
  const [before, next] = [frames[after - 1], frames[after]]
  if (before === undefined) return (next?.frame.data.persons ?? []).map(shownOf)
  const persons = before.frame.data.persons.map(shownOf)
  if (next === undefined || next.eventMs - before.eventMs > gapMsMax) return persons
  const share = (eventMs - before.eventMs) / (next.eventMs - before.eventMs)
  const later = new Map(next.frame.data.persons.map((person) => [person.id, shownOf(person)]))
  return persons.map((person) => {
    const to = later.get(person.id)
    return to === undefined ? person : between(person, to, share)
  })
}
