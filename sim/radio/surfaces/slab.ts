/**
 * Walls of finite thickness as mirrors.
 *
 * The coefficient of a slab is r (1 - q) / (1 - r^2 q), q = e^{-2j delta}, with Fresnel's r and the phase delta of one passage
 * (ITU-R P.2040-1, equation 40). Walls take the perpendicular coefficient and floor and ceiling the parallel one, because antennas are
 * upright. Objects before a wall scatter a part of the power. Boundary: materials are in `sim/rooms`.
 */
import { speedOfLightMps } from "../../../core/math/speed-of-light.ts"
import { fresnel, permittivityOf } from "../../rooms/materials.ts"
import type { Surface } from "../../rooms/room.ts"

const cells = 128

export interface Slab {
  readonly surface: Surface
  /** [cell][re, im] over the cosine of incidence 0..1, with one extra cell. */
  readonly table: Float64Array
}

/** @param power share of the power that is reflected in the specular direction */
export const createSlab = (surface: Surface, frequencyHz: number, thicknessM: number, power: number): Slab => {
  const table = new Float64Array(2 * (cells + 2))
  const { im, re } = permittivityOf(surface.material, frequencyHz)
  const share = Math.sqrt(power)
  for (let i = 0; i < cells + 2; i++) {
    const cos = Math.min(1, i / cells)
    const r = fresnel(surface.material, cos, frequencyHz)[surface.axis === 2 ? "tm" : "te"]
    // sqrt(permittivity - sin^2): with a small loss the root is (a, im / 2a).
    const a = Math.sqrt(re - 1 + cos * cos)
    const rad = (4 * Math.PI * thicknessM * frequencyHz * a) / speedOfLightMps
    const loss = Math.exp((4 * Math.PI * thicknessM * frequencyHz * (im / (2 * a))) / speedOfLightMps)
    const qRe = loss * Math.cos(rad)
    const qIm = -loss * Math.sin(rad)
    const r2Re = r.re * r.re - r.im * r.im
    const r2Im = 2 * r.re * r.im
    const topRe = r.re * (1 - qRe) + r.im * qIm
    const topIm = r.im * (1 - qRe) - r.re * qIm
    const lowRe = 1 - (r2Re * qRe - r2Im * qIm)
    const lowIm = -(r2Re * qIm + r2Im * qRe)
    const norm = share / (lowRe * lowRe + lowIm * lowIm)
    table[2 * i] = norm * (topRe * lowRe + topIm * lowIm)
    table[2 * i + 1] = norm * (topIm * lowRe - topRe * lowIm)
  }
  return { surface, table }
}

/** Writes the coefficient for the cosine of incidence `cos` to `out`. */
export const writeSlab = ({ table }: Slab, cos: number, out: Float64Array): void => {
  const place = Math.min(1, Math.abs(cos)) * cells
  const cell = Math.floor(place)
  const part = place - cell
  const i = 2 * cell
  out[0] = table[i]! + part * (table[i + 2]! - table[i]!)
  out[1] = table[i + 1]! + part * (table[i + 3]! - table[i + 1]!)
}
