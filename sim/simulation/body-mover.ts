/**
 * A person as the radio of one room sees it: the points of the body in that room's frame, and the trunk that shadows paths.
 */
import { type Posture, scatterers } from "../bodies/body.ts"
import type { Place } from "../rooms/floor-plan.ts"
import type { Aspect } from "../radio/aspect.ts"
import type { Mover } from "../radio/mover.ts"
import { createBodySolids } from "./body-solids.ts"

/** Half the width of a trunk of girth 1, in the middle of the 0.15 to 0.22 m of adults. */
const trunkHalfWidthM = 0.17

export interface BodyMover {
  readonly mover: Mover
  /** Updates the mover from a body in home coordinates. */
  readonly follow: (posture: Posture, headingRad: number, attenuationDb: number) => void
}

/** Converts points, x, y, z each, from home coordinates to the frame of a room at `origin`. */
const shift = (from: Float64Array, [originX, originY]: Place, into: Float64Array): void => {
  for (let i = 0; i < from.length; i += 3) {
    into[i] = from[i]! - originX
    into[i + 1] = from[i + 1]! - originY
    into[i + 2] = from[i + 2]!
  }
}

/** The mover of a body in a room at `origin`; the aspect and the cross section of a body are the same in all rooms. */
export const createBodyMover = (girth: number, aspect: Aspect, crossSectionM2: number, origin: Place): BodyMover => {
  const points = new Float64Array(3 * scatterers.length)
  const shadow = { low: new Float64Array(3), high: new Float64Array(3), halfWidthM: trunkHalfWidthM * girth }
  const body = createBodySolids(girth, crossSectionM2)
  const mover = {
    rcsM2: Float64Array.from(scatterers, ({ rcsM2 }) => rcsM2 * girth),
    points,
    shadow,
    aspect,
    solids: body.solids,
    headingRad: 0,
    attenuationDb: 0,
  }
  const follow: BodyMover["follow"] = (posture, headingRad, attenuationDb) => {
    shift(posture.scatterers, origin, points)
    shift(posture.pelvis, origin, shadow.low)
    shift(posture.neck, origin, shadow.high)
    body.follow(posture, origin)
    mover.headingRad = headingRad
    mover.attenuationDb = attenuationDb
  }
  return { mover, follow }
}
