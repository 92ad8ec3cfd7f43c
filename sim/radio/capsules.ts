/**
 * Capsules: the current torsos of the movers and their mirror images, as flat arrays for the loops that compute shadows.
 *
 * A reflected path is a straight path to the image of its source. Its part behind the mirror is shadowed by the mirror images of the
 * torsos.
 */
import type { Mirror } from "./reflection.ts"
import type { Mover } from "./mover.ts"
import { capsuleStride } from "./shadow.ts"

/** Largest number of movers with a shadow. */
const capsulesMax = 64

export interface Capsules {
  count: number
  /** Index of each mover's capsule; -1 for a mover without one. */
  ofMover: Int32Array
  /** The capsules themselves, then their images in each of the six surfaces: [capsule][low xyz, high xyz, half width]. */
  readonly values: ReadonlyArray<Float64Array>
}

export const createCapsules = (): Capsules => ({
  count: 0,
  ofMover: new Int32Array(0),
  values: Array.from({ length: 7 }, () => new Float64Array(capsulesMax * capsuleStride)),
})

/** Sets the capsules of the movers. */
export const setCapsules = (
  capsules: Capsules,
  movers: ReadonlyArray<Mover>,
  mirrors: ReadonlyArray<Mirror>,
): void => {
  if (movers.length > capsules.ofMover.length) capsules.ofMover = new Int32Array(2 * movers.length)
  let count = 0
  for (let m = 0; m < movers.length; m++) {
    const { shadow } = movers[m]!
    capsules.ofMover[m] = shadow === null ? -1 : count
    if (shadow === null) continue
    if (count === capsulesMax) {
      throw new RangeError(`More than ${capsulesMax} movers cast shadows; remove some movers or their shadows.`)
    }
    const at = count * capsuleStride
    for (let image = 0; image < capsules.values.length; image++) {
      const values = capsules.values[image]!
      for (let axis = 0; axis < 3; axis++) {
        values[at + axis] = shadow.low[axis]!
        values[at + 3 + axis] = shadow.high[axis]!
      }
      values[at + 6] = shadow.halfWidthM
      if (image === 0) continue
      const { axis, offset } = mirrors[image - 1]!.surface
      values[at + axis] = 2 * offset - shadow.low[axis]!
      values[at + 3 + axis] = 2 * offset - shadow.high[axis]!
    }
    count++
  }
  capsules.count = count
}
