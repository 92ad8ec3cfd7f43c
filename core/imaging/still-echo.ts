/**
 * Still echoes relative to a static response of the empty room.
 *
 * A person who stands or sits is seldom located again while others move. It is not necessary either, because a person
 * cannot leave without moving. So only the echo of the known place is checked.
 */
import type { Body } from "./body.ts"
import { type BodyEnergies, crossSectionOf } from "./cross-section.ts"
import { inner, orthonormal, outsideOf } from "./hermitian.ts"
import type { LinkView } from "./separation.ts"

/** The echo of a known place. */
export interface StillEcho {
  /**
   * Radar cross section of the still part at the place, m^2, times the share of the rest of the room's still echoes
   * that it explains: 0.01 to 0.2 for an adult, below 0.01 for an empty place. Null without enough links that are
   * calibrated in the empty room.
   */
  readonly ownSectionM2: number | null
}

/** Minimum norm beside the other bodies: below it a link cannot separate them. */
const leftMin = 0.02
/** Minimum energy of the rest of a link's still echoes, as a multiple of its noise. */
const restNoiseMin = 4

/** The mean response of a link outside the aligned directions and the span of the bodies. */
export const stillRestOf = (
  { moments: { mean }, state: { aligned } }: LinkView,
  bodies: ReadonlyArray<Body>,
  link: number,
): { readonly rest: Float64Array; readonly basis: ReadonlyArray<Float64Array> } => {
  const basis = orthonormal(bodies.map(({ views }) => views[link]!.vector))
  return { basis, rest: outsideOf([...aligned, ...basis], mean) }
}

/**
 * Mean share (0..1) over links of the still echoes beside the other bodies that body `k` explains. A random place
 * explains a quarter.
 */
const ownShareOf = (views: ReadonlyArray<LinkView>, bodies: ReadonlyArray<Body>, k: number): number => {
  const others = bodies.filter((_, i) => i !== k)
  let shares = 0
  for (const [l, view] of views.entries()) {
    const { moments: { noise }, state: { window } } = view
    const { basis, rest } = stillRestOf(view, others, l)
    const own = outsideOf(basis, bodies[k]!.views[l]!.vector)
    const [left] = inner(own, own)
    if (left < leftMin) continue
    const [re, im] = inner(own, rest)
    const explained = Math.max(0, (re * re + im * im) / left - noise[0]!)
    shares += explained / Math.max(inner(rest, rest)[0], restNoiseMin * noise[0]! * window.size, 1e-12)
  }
  return shares / views.length
}

/** The echo of body `k` over links that are calibrated in the empty room; null over none. */
export const stillEchoOf = (
  views: ReadonlyArray<LinkView>,
  bodies: ReadonlyArray<Body>,
  energies: BodyEnergies,
  k: number,
): StillEcho => ({
  ownSectionM2: views.length > 0
    ? crossSectionOf(views, energies, k, bodies[k]!.place).stillM2 * ownShareOf(views, bodies, k)
    : null,
})
