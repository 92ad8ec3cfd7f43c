/**
 * Tracks left behind: who sets off beside others is at times first seen again beyond the reach of the track that stands for them, which
 * then stands on where nobody is.
 *
 * Nobody comes into a room through its middle: who is first seen there was known before, and is the one near by whom the pose network
 * doubts most. Boundary: what becomes of the two tracks is `tracks.ts`.
 */
import { type Place, placesApartM, type SiteGeometry } from "../../core/imaging/geometry.ts"
import { motionOf, stands } from "../../core/tracking/person-motion.ts"
import { statusOf } from "../track/machine.ts"
import type { Track } from "./tracks.ts"

/** Who is first seen nearer to a wall than this may have come in through it: half of those who come in are seen within 0.3 m. */
const wallM = 0.5
/** The network doubts a track when it sees the hips no surer than this, per axis; of nine in ten who keep still it is surer. */
const doubtFromM = 0.22
/** Who sets off is first seen within this of where they stood; within a metre their own track takes them. */
const reachM = 1.6

const isInTheMiddle = ({ x, y }: Place, [width, depth]: SiteGeometry["size"]): boolean =>
  Math.min(x, y, width - x, depth - y) >= wallM

const isDoubted = ({ person, seenSigmaM, snapshot }: Track): boolean =>
  (statusOf(snapshot) === "active" || statusOf(snapshot) === "lost") && stands(person) &&
  seenSigmaM !== null && seenSigmaM >= doubtFromM

/**
 * The track that each of those who were confirmed just now has left behind, if any; none is that of two.
 *
 * @param confirmed who became a person in this hop
 * @param unseen tracks that nothing was seen of in it
 * @param size of the room, metres
 */
export const leftBehind = (
  confirmed: ReadonlyArray<Track>,
  unseen: ReadonlyArray<Track>,
  size: SiteGeometry["size"],
): ReadonlyMap<Track, Track> => {
  const doubted = unseen.filter((track) => isDoubted(track) && !confirmed.includes(track))
    .sort((a, b) => b.seenSigmaM! - a.seenSigmaM!)
  const found = new Map<Track, Track>()
  for (const track of confirmed) {
    if (!isInTheMiddle(track.from, size)) continue
    const before = doubted.find(({ person }) => placesApartM(track.from, motionOf(person)) <= reachM)
    if (before === undefined) continue
    found.set(track, before)
    doubted.splice(doubted.indexOf(before), 1)
  }
  return found
}
