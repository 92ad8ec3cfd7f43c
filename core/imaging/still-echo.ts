/**
 * What keeps its place: echoes against a static response of the empty room.
 *
 * A person who stands or sits is hardly ever located again while others move, but need not be: nobody leaves without moving. So a place
 * that is known is asked whether its echo is still there.
 */
import type { Body } from "./body.ts"
import { type BodyEnergies, crossSectionOf } from "./cross-section.ts"
import { inner, orthonormal, outsideOf } from "./hermitian.ts"
import type { LinkView } from "./separation.ts"

/** The echo of a known place. */
export interface StillEcho {
  /**
   * Radar cross section of what keeps its place there, m^2, times the share of the rest of the room's still echoes that it explains: 0.01 to
   * 0.2 for an adult, below 0.01 for nobody. Null where no static response of the empty room was calibrated.
   */
  readonly ownSectionM2: number | null
}

/** Where the other bodies leave less of a direction than this, a link does not tell them apart. */
const leftMin = 0.02
/** The rest of a link's still echoes is at least this many times its noise. */
const restNoiseMin = 4

/** The mean response of a link without what alignment takes and without what the bodies span. */
export const stillRestOf = (
  { moments: { mean }, state: { aligned } }: LinkView,
  bodies: ReadonlyArray<Body>,
  link: number,
): { readonly rest: Float64Array; readonly basis: ReadonlyArray<Float64Array> } => {
  const basis = orthonormal(bodies.map(({ views }) => views[link]!.vector))
  return { basis, rest: outsideOf([...aligned, ...basis], mean) }
}

/** Mean share (0..1) over links of the still echoes that the other bodies leave, which body `k` explains. A random place explains a quarter. */
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

/** The echo of body `k`. */
export const stillEchoOf = (
  views: ReadonlyArray<LinkView>,
  bodies: ReadonlyArray<Body>,
  energies: BodyEnergies,
  k: number,
): StillEcho => ({
  ownSectionM2: views.every(({ state }) => state.calibrated)
    ? crossSectionOf(views, energies, k, bodies[k]!.place).stillM2 * ownShareOf(views, bodies, k)
    : null,
})
