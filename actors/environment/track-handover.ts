/**
 * Track handover: a person who starts walking near others may be first detected outside their track's gate. The old track then lingers at
 * an empty place, and the new one follows a person who was known before.
 *
 * Persons enter through the edge of a room. So a person who is first detected in its middle has an earlier track: the nearby one of which
 * the pose network is least sure. Boundary: `tracks.ts` joins the two tracks.
 */
import { type Place, placesApartM, type SiteGeometry, wallDistancesM } from "../../core/imaging/geometry.ts"
import { motionOf, stands } from "../../core/tracking/person-motion.ts"
import { statusOf } from "../track/machine.ts"
import type { Track } from "./track.ts"

/** A person who is first detected nearer to a wall may have entered there: half of those who enter are first detected within 0.3 m of it. */
const wallM = 0.5
/** From this standard deviation of the hips per axis on, the pose network is unsure of a track; nine in ten still persons have less. */
const unsureFromM = 0.22
/** Distance from the standing place at which a person who starts to walk is first detected; below a metre, the own track takes the detection. */
const reachM = 1.6

const isInTheMiddle = (place: Place, size: SiteGeometry["size"]): boolean =>
  Math.min(...wallDistancesM(place, size)) >= wallM

const isUnsure = ({ person, seen, snapshot }: Track): boolean =>
  (statusOf(snapshot) === "active" || statusOf(snapshot) === "lost") && stands(person) &&
  seen !== null && seen.sigmaM >= unsureFromM

/**
 * The earlier track of each new one, where there is one; no earlier track belongs to two.
 *
 * @param confirmed tracks that were confirmed as persons in this hop
 * @param unmatched tracks without a detection in it
 * @param size of the room, metres
 */
export const earlierTracks = (
  confirmed: ReadonlyArray<Track>,
  unmatched: ReadonlyArray<Track>,
  size: SiteGeometry["size"],
): ReadonlyMap<Track, Track> => {
  const unsure = unmatched.filter((track) => isUnsure(track) && !confirmed.includes(track))
    .sort((a, b) => b.seen!.sigmaM - a.seen!.sigmaM)
  const found = new Map<Track, Track>()
  for (const track of confirmed) {
    if (!isInTheMiddle(track.from, size)) continue
    const earlier = unsure.find(({ person }) => placesApartM(track.from, motionOf(person)) <= reachM)
    if (earlier === undefined) continue
    found.set(track, earlier)
    unsure.splice(unsure.indexOf(earlier), 1)
  }
  return found
}
