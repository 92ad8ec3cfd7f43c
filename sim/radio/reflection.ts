/**
 * Reflection of a vertically polarised wave at the surfaces of a room.
 *
 * The electric field of a wave along k from an upright dipole is the unit vector along z - (z k) k. It is split into the parts
 * perpendicular (te) and parallel (tm) to the plane of incidence, each reflected by Fresnel's coefficient. The coefficient here is
 * the response of an upright dipole to the sum:
 *   floor, ceiling:  tm
 *   wall at x:       t te - (1 - t) tm,  t = ky^2 / ((ky^2 + kz^2) (1 - kz^2))      (wall at y: kx for ky)
 * At normal incidence te = -tm, so the parts agree. Coefficients are tabulated over the cosine of incidence, because the hot loop
 * needs thousands per round. Boundary: the coefficients themselves are in `sim/rooms/materials.ts`.
 */
import { fresnel } from "../rooms/materials.ts"
import type { Surface } from "../rooms/room.ts"

const cells = 256

/** A surface as a mirror for waves. */
export interface Mirror {
  readonly surface: Surface
  /** [cell][te re, te im, tm re, tm im] over the cosine of incidence 0..1, with one extra cell for interpolation. */
  readonly table: Float64Array
}

/** `specularPower` is the share of the power that stays in the specular direction; the rest goes to the diffuse tail. */
export const createMirror = (surface: Surface, frequencyHz: number, specularPower: number): Mirror => {
  const table = new Float64Array(4 * (cells + 2))
  const share = Math.sqrt(specularPower)
  for (let i = 0; i < cells + 2; i++) {
    const { te, tm } = fresnel(surface.material, Math.min(1, i / cells), frequencyHz)
    table.set([share * te.re, share * te.im, share * tm.re, share * tm.im], 4 * i)
  }
  return { surface, table }
}

/** Writes the coefficient (re, im) of a wave with unit direction (kx, ky, kz), up to signs, to `out`. */
export const writeReflection = (mirror: Mirror, kx: number, ky: number, kz: number, out: Float64Array): void => {
  const { table } = mirror
  const { axis } = mirror.surface
  const normal = Math.abs(axis === 0 ? kx : axis === 1 ? ky : kz)
  const place = Math.min(1, normal) * cells
  const cell = Math.floor(place)
  const part = place - cell
  const i = 4 * cell
  const tmRe = table[i + 2]! + part * (table[i + 6]! - table[i + 2]!)
  const tmIm = table[i + 3]! + part * (table[i + 7]! - table[i + 3]!)
  if (axis === 2) {
    out[0] = tmRe
    out[1] = tmIm
    return
  }
  const aside = axis === 0 ? ky : kx
  const within = (aside * aside + kz * kz) * (1 - kz * kz)
  const share = within > 1e-9 ? (aside * aside) / within : 1
  const teRe = table[i]! + part * (table[i + 4]! - table[i]!)
  const teIm = table[i + 1]! + part * (table[i + 5]! - table[i + 1]!)
  out[0] = share * teRe - (1 - share) * tmRe
  out[1] = share * teIm - (1 - share) * tmIm
}
