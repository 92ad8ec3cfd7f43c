/**
 * A body: a place that echoes come from, and its contribution to each link. Boundary: `bodies.ts` finds and refines
 * bodies.
 */
import type { BodyEnergies } from "./cross-section.ts"
import type { Vector3 } from "./geometry.ts"
import { type BodyView, bodyViewOf, energiesOf, type LinkView } from "./separation.ts"

export interface Body {
  readonly place: Vector3
  /** The body as seen by each link. */
  readonly views: ReadonlyArray<BodyView>
}

/** The body at a place. */
export const bodyAt = (views: ReadonlyArray<LinkView>, place: Vector3): Body => ({
  place,
  views: views.map((view) => bodyViewOf(view, place)),
})

/** Energies of bodies on each link. */
export const bodyEnergiesOf = (bodies: ReadonlyArray<Body>): BodyEnergies =>
  (bodies[0]?.views ?? []).map((_, l) => energiesOf(bodies.map(({ views }) => views[l]!)))
