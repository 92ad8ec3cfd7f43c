/**
 * Weak bodies: moving bodies that return less than nine adults of ten.
 *
 * Residuals of others, pets and fans return as little. So a weak body is a detection only where no other moves, and either of these holds:
 * nobody is known in the room, and the links agree better on the height of a torso than on that of a pet; or it is at the place of the only
 * known person, who is as weak. Boundary: a track of weak detections counts as a person only after a walk (`actors/environment/track.ts`).
 */
import { floorDistanceM, type Found, preferenceOf, type Room } from "./bodies.ts"
import type { Place } from "./geometry.ts"
import type { LinkView } from "./separation.ts"

/** A person whose track is confirmed. */
export interface KnownPerson extends Place {
  /** Least moving cross section of a detection of this person, m^2. */
  readonly leastM2: number
}

/** Minimum moving cross section, m^2: residuals of others are below, nine adults of ten are above. */
export const adultMinM2 = 0.03
/** Minimum of a weak body. */
const weakMinM2 = 0.01
/** A person who walks with less is weak; then detections have at least this share of the walking section. */
const weakWalkMaxM2 = 0.05
const ownShareMin = 0.3
/** Farther from the known person it may be another body. */
const ownM = 1
/**
 * Minimum share of the links' moving energy, and of this energy less noise. The echoes of a weak body are often near the noise, but where they
 * are above it, they come from one place: the second is 0.6 to 0.9 for a walker.
 */
const scoreMin = 0.15
const coherenceMin = 0.55
/** Height of a pet, and by how much the log-likelihood of a torso must exceed that of a pet. */
const petHeightM = 0.3
const uprightMin = 10

/** The least section of the detections of a person who walks with this section, m^2; null when the section is not known. */
export const leastSectionOf = (walkingM2: number | null): number =>
  walkingM2 === null || walkingM2 >= weakWalkMaxM2 ? adultMinM2 : Math.max(weakMinM2, ownShareMin * walkingM2)

/** Whether the only body of an image, with this moving section, is a weak person. */
export const isWeakPerson = (
  room: Room,
  views: ReadonlyArray<LinkView>,
  found: Found,
  movingM2: number,
  persons: ReadonlyArray<KnownPerson>,
): boolean => {
  if (found.bodies.length > 1 || persons.length > 1) return false
  const { coherence, place, score } = found.peaks[0]!
  if (score < scoreMin || coherence < coherenceMin) return false
  const [x, y, heightM] = place
  const [person] = persons
  if (person !== undefined) {
    return person.leastM2 < adultMinM2 && movingM2 >= person.leastM2 &&
      floorDistanceM(place, [person.x, person.y, heightM]) < ownM
  }
  return movingM2 >= weakMinM2 && preferenceOf(room, views, found, 0, [place, [x, y, petHeightM]]) >= uprightMin
}
