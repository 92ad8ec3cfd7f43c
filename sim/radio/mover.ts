/**
 * A mover: anything that moves and scatters. A body, the blades of a fan, a pet, the leaf of a door.
 *
 * Owns the shape in which bodies and fixtures are given to the radio. Whoever owns a mover writes its arrays in place; the scene
 * reads them when it is illuminated.
 */
import type { Aspect } from "./aspect.ts"

/** What stands in the way of paths: a capsule around the segment from `low` to `high`, [x, y, z] in metres. */
export interface Shadow {
  readonly low: Float64Array
  readonly high: Float64Array
  readonly halfWidthM: number
}

export interface Mover {
  /** Radar cross section of each scatterer. */
  readonly rcsM2: Float64Array
  /** Where the scatterers are now: [point][xyz], metres in the room's frame. Points may lie outside the room. */
  readonly points: Float64Array
  /** What shadows paths; null for what is too small to. */
  readonly shadow: Shadow | null
  /** How strength and phase of the scatterers depend on where they are seen from; null when they do not. */
  readonly aspect: Aspect | null
  /** Direction that the mover faces, radians counter-clockwise from +x: its aspect turns with it. */
  readonly headingRad: number
  /** Loss of every way to the mover beside the walls of the room, once a leg: more walls between. 0 where there are none. */
  readonly attenuationDb: number
}
