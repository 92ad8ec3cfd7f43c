/**
 * Radar cross sections at a place, over all links.
 *
 * Bistatic radar equation over the Friis equation: a body of cross section s returns s / (4 pi) (d0 / (d1 d2))^2 of the
 * direct path's power, which dominates the static response that energies are relative to. Links see different sides of
 * a body, and some hardly see it, so the logarithms of the sections are averaged.
 */
import type { Vector3 } from "./geometry.ts"
import { spreadingM } from "./link-state.ts"
import type { LinkView } from "./separation.ts"

/** Radar cross section of a body, m^2. */
interface CrossSection {
  /** The part that moves along the way to a node: 0.1 to 0.4 for a walking adult. */
  readonly movingM2: number
  /** The part that keeps its place over the window: 0.05 to 0.5 for an adult who stands or sits. */
  readonly stillM2: number
}

/** Below this a link's section may come from other echoes. */
const floorM2 = 0.003

/** Energies of bodies by link, [link][body][band]. */
export type BodyEnergies = ReadonlyArray<ReadonlyArray<Float64Array>>

/** The cross section of body `k` at a place. */
export const crossSectionOf = (
  views: ReadonlyArray<LinkView>,
  energies: BodyEnergies,
  k: number,
  place: Vector3,
): CrossSection => {
  let moving = 0
  let still = 0
  for (const [l, { state }] of views.entries()) {
    const { antennas, basis } = state.window
    const range = (4 * Math.PI * spreadingM(state, place) ** 2) / (antennas * basis.tones)
    const bands = energies[l]![k]!
    let energy = 0
    for (let band = 1; band < bands.length; band++) energy += bands[band]!
    moving += Math.log(floorM2 + range * energy)
    still += Math.log(floorM2 + range * bands[0]!)
  }
  return { movingM2: Math.exp(moving / views.length) - floorM2, stillM2: Math.exp(still / views.length) - floorM2 }
}
