/**
 * Physical optics: the field that a piece of a smooth cylinder returns from one direction into another.
 *
 * With u1 and u2 from the piece to both ends, b = u1 + u2, its part p across the axis, and the axis' part q:
 *   h = j / (4 pi d1 d2) R (rho p / 2) sqrt(2 pi / (k rho p)) e^{j (k p s - pi / 4)} l sinc(k q l / 2) e^{-jk(d1 + d2)}
 * which is the integral of Kirchhoff's currents: stationary phase around the section at the normal along b, where the section has the
 * radius of curvature rho and reaches s from its axis; exact along the axis. At broadside the cross section is k rho l^2. R is the
 * reflection of wet tissue. A piece whose normal one of the ends does not see returns nothing.
 */
import { speedOfLightMps } from "../../../core/math/speed-of-light.ts"

/** Numbers per piece in `Bodies.pieces`. */
export const opticsStride = 14

/**
 * Amplitude of reflection of skin and muscle at normal incidence: permittivity 45 and conductivity 1.5 S/m at 2.45 GHz, rising by
 * 0.7 S/m per GHz, between skin and muscle in Gabriel's tables.
 */
export const tissueReflection = (frequencyHz: number): number => {
  const conductivity = 1.5 + 0.7e-9 * (frequencyHz - 2.45e9)
  const re = 45
  const im = conductivity / (2 * Math.PI * frequencyHz * 8.8541878128e-12)
  const modulus = Math.sqrt(Math.hypot(re, im))
  const half = Math.atan2(im, re) / 2
  const a = modulus * Math.cos(half)
  const b = modulus * Math.sin(half)
  return Math.sqrt(((1 - a) ** 2 + b * b) / ((1 + a) ** 2 + b * b))
}

/** The normal of a piece is seen gradually within this cosine. */
const grazing = 0.1
const seen = (cos: number): number => Math.min(1, Math.max(0, (cos + grazing) / (2 * grazing)))

/** Wave number, from the frequency. */
export const waveNumberOf = (frequencyHz: number): number => (2 * Math.PI * frequencyHz) / speedOfLightMps

/**
 * Writes to `out` the complex weight of a piece: h without 1 / (d1 d2) and the phase of d1 + d2.
 *
 * @param pieces [piece][centre xyz, axis xyz, length, half width, half depth, width direction xyz, amplitude, is a point]; the weight
 * of a point is its amplitude.
 */
export const writeWeight = (
  pieces: Float64Array,
  at: number,
  ux: number,
  uy: number,
  uz: number,
  vx: number,
  vy: number,
  vz: number,
  k: number,
  out: Float64Array,
): void => {
  const amplitude = pieces[at + 12]!
  out[0] = amplitude
  out[1] = 0
  if (pieces[at + 13] === 1) return
  out[0] = 0
  const ax = pieces[at + 3]!, ay = pieces[at + 4]!, az = pieces[at + 5]!
  const q = (ux + vx) * ax + (uy + vy) * ay + (uz + vz) * az
  let nx = ux + vx - q * ax, ny = uy + vy - q * ay, nz = uz + vz - q * az
  const p = Math.sqrt(nx * nx + ny * ny + nz * nz)
  if (p < 1e-3) return
  nx /= p
  ny /= p
  nz /= p
  const lit = seen(nx * ux + ny * uy + nz * uz) * seen(nx * vx + ny * vy + nz * vz)
  if (lit === 0) return
  const length = pieces[at + 6]!, width = pieces[at + 7]!, depth = pieces[at + 8]!
  const wide = nx * pieces[at + 9]! + ny * pieces[at + 10]! + nz * pieces[at + 11]!
  const reach = Math.sqrt(width * width * wide * wide + depth * depth * Math.max(0, 1 - wide * wide))
  const curvature = (width * width * depth * depth) / (reach * reach * reach)
  const x = (k * q * length) / 2
  const sinc = x * x < 1e-6 ? 1 : Math.sin(x) / x
  const size = (amplitude * lit * Math.sqrt((Math.PI * curvature * p) / (2 * k)) * length * sinc) / (4 * Math.PI)
  const rad = k * p * reach + Math.PI / 4
  out[0] = size * Math.cos(rad)
  out[1] = size * Math.sin(rad)
}
