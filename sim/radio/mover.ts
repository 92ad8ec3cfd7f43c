/**
 * A mover: anything that moves and scatters: a body, the blades of a fan, a pet, a door leaf.
 *
 * Owns the form in which the radio receives bodies and fixtures. The owner of a mover updates its arrays in place; the scene reads
 * them in `illuminate`.
 */
import type { Aspect } from "./aspect.ts"
import type { Solids } from "./solids.ts"

/** An obstacle to paths: a capsule around the segment from `low` to `high`, [x, y, z] in metres. */
interface Shadow {
  readonly low: Float64Array
  readonly high: Float64Array
  readonly halfWidthM: number
}

export interface Mover {
  /** Radar cross section of each scatterer. */
  readonly rcsM2: Float64Array
  /** Current positions of the scatterers: [point][xyz], metres in the room's frame. Points may lie outside the room. */
  readonly points: Float64Array
  /** The capsule that shadows paths; null for movers too small for a shadow. */
  readonly shadow: Shadow | null
  /** Dependence of strength and phase of the scatterers on the direction; null: none. */
  readonly aspect: Aspect | null
  /** The body as solids, for radio models of surfaces; null: only points are known. */
  readonly solids: Solids | null
  /** Heading of the mover, radians counter-clockwise from +x: the aspect turns with it. */
  readonly headingRad: number
  /** Loss per leg by walls beyond those of the room; 0 if there are none. */
  readonly attenuationDb: number
}
