/**
 * Stillness: detects a still person at an unknown place, by the difference from the empty room.
 *
 * Such a person entered while others masked them, or before the start. The search runs once a second while no one
 * walks, because a walker's echoes change those of the rest. Needs a calibrated empty room. Boundary: `still-echo.ts`
 * measures the echo of a place; tracks decide whether a detection is a person.
 */
import type { Computation } from "../kernels/kernel.ts"
import { discoverStill, type Room } from "./bodies.ts"
import { type Body, bodyAt, bodyEnergiesOf } from "./body.ts"
import type { Place } from "./geometry.ts"
import { bodiesMax } from "./movers.ts"
import type { LinkView } from "./separation.ts"
import { stillEchoOf } from "./still-echo.ts"

/** A still person. */
export interface StillDetection extends Place {
  /** Standard deviation of the place, per axis, metres. */
  readonly sigmaM: number
  /** See `StillEcho`. */
  readonly ownSectionM2: number
}

/** Hops between searches. */
const searchHops = 10
/** Minimum section: three times that of an empty place. Simulated adults reach it in five of six cases. */
const sectionMinM2 = 0.03
/** Error of such a place, per axis: walls and masking by the body bias it. */
const sigmaM = 0.4

/**
 * A still person beside the known bodies at the end of a hop; null when there is none, or when it is not the hop to
 * search.
 *
 * @param views links that are calibrated in the empty room; over none, no one is found
 */
export const findStill = function* (
  room: Room,
  views: ReadonlyArray<LinkView>,
  known: ReadonlyArray<Body>,
  hop: number,
): Computation<StillDetection | null> {
  if (hop % searchHops !== 0 || views.length === 0 || known.length >= bodiesMax) return null
  const { place } = yield* discoverStill(room, views, known)
  const bodies = [...known, bodyAt(views, place)]
  const { ownSectionM2 } = stillEchoOf(views, bodies, bodyEnergiesOf(bodies), known.length)
  if (ownSectionM2 === null || ownSectionM2 < sectionMinM2) return null
  return { x: place[0], y: place[1], sigmaM, ownSectionM2 }
}
