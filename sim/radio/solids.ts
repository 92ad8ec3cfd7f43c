/**
 * Solids: a body as elliptic cylinders, for radio models that compute the field on its surface.
 *
 * Owns the form only. Boundary: `sim/simulation/body-solids.ts` makes the solids of a posture.
 */

/** Numbers per piece in `Solids.pieces`. */
export const pieceStride = 8
/** Numbers per screen in `Solids.screens`. */
export const screenStride = 8

export interface Solids {
  /** [piece][from xyz, to xyz, half width, half depth], metres in the room's frame: cylinders shorter than a Fresnel zone. */
  readonly pieces: Float64Array
  /** [screen][low xyz, high xyz, half width, half depth]: the opaque parts that cast shadows. */
  readonly screens: Float64Array
  /** Unit vector to the left of the trunk: the direction of all half widths. */
  readonly left: Float64Array
  /** Number of leading pieces that belong to trunk and head: the first screen does not shadow them. */
  readonly trunkPieces: number
  /** Bistatic cross section of the standing body at 2.44 GHz, the mean over directions. */
  readonly crossSectionM2: number
}
