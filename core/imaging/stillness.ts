/**
 * Stillness: somebody who keeps still where nobody is known, by what differs from the empty room.
 *
 * They came while others hid them, or before anyone looked. Looked for once a second, while nobody walks: a walker's echoes change those
 * of the rest. Needs a calibrated empty room. Boundary: the echo of a place is `still-echo.ts`; whether somebody is a person is decided
 * by tracks.
 */
import type { Computation } from "../kernels/kernel.ts"
import { discoverStill, type Room } from "./bodies.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import type { Place } from "./geometry.ts"
import { bodiesMax } from "./movers.ts"
import type { LinkView } from "./separation.ts"
import { stillEchoOf } from "./still-echo.ts"

/** Somebody who keeps still. */
export interface StillDetection extends Place {
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  /** See `StillEcho`. */
  readonly ownSectionM2: number
}

/** Hops from one look to the next. */
const lookHops = 10
/** Least section: three times what a room shows where nobody is. Simulated adults show it in five of six cases. */
const sectionMinM2 = 0.03
/** Error of such a place, per axis: walls, and what a body hides, draw it away. */
const sigmaM = 0.4

/** Somebody beside the known bodies at the end of a hop; null when there is nobody, or it is not the hop to look. */
export const findStill = function* (
  room: Room,
  views: ReadonlyArray<LinkView>,
  known: ReadonlyArray<Body>,
  hop: number,
): Computation<StillDetection | null> {
  const calibrated = views.every(({ state }) => state.calibrated)
  if (hop % lookHops !== 0 || !calibrated || known.length >= bodiesMax) return null
  const { place } = yield* discoverStill(room, views, known)
  const bodies = [...known, bodyAt(views, place)]
  const { ownSectionM2 } = stillEchoOf(views, bodies, bodyEnergiesOf(bodies), known.length)
  if (ownSectionM2 === null || ownSectionM2 < sectionMinM2) return null
  return { x: place[0], y: place[1], sigmaM, ownSectionM2 }
}
