/**
 * A person as the radio of one room sees it: the points of the body in that room's frame, and the trunk that shadows paths.
 */
import { type Posture, scatterers } from "../bodies/body.ts"
import type { Place } from "../rooms/floor-plan.ts"
import type { Aspect } from "../radio/aspect.ts"
import type { Mover } from "../radio/mover.ts"

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

/** The mover of a body in a room at `origin`; the aspect of a body is the same in all rooms. */
export const createBodyMover = (girth: number, aspect: Aspect, origin: Place): BodyMover => {
  const points = new Float64Array(3 * scatterers.length)
  const shadow = { low: new Float64Array(3), high: new Float64Array(3), halfWidthM: trunkHalfWidthM * girth }
  const mover = {
    rcsM2: Float64Array.from(scatterers, ({ rcsM2 }) => rcsM2 * girth),
    points,
    shadow,
    aspect,
    headingRad: 0,
    attenuationDb: 0,
  }
  const follow: BodyMover["follow"] = (posture, headingRad, attenuationDb) => {
    shift(posture.scatterers, origin, points)
    shift(posture.pelvis, origin, shadow.low)
    shift(posture.neck, origin, shadow.high)
    mover.headingRad = headingRad
    mover.attenuationDb = attenuationDb
  }
  return { mover, follow }
}
