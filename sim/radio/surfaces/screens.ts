/**
 * Screens: the opaque parts of the movers, and the remaining field of a path among them.
 *
 * A screen is a rectangle around an axis, turned towards each path: as wide as the elliptic cross section appears from there. A mover
 * without solids has its capsule as a screen.
 */
import type { Mover } from "../mover.ts"
import { screenStride } from "../solids.ts"
import { writeScreened } from "./diffraction.ts"

/** Largest number of screens of all movers together. */
const screensMax = 128

export interface Screens {
  count: number
  /** [screen][low xyz, high xyz, half width, half depth, left xyz]. */
  readonly values: Float64Array
  /** Index of the mover of each screen. */
  readonly movers: Int32Array
}

const stride = screenStride + 3

export const createScreens = (): Screens => ({
  count: 0,
  values: new Float64Array(screensMax * stride),
  movers: new Int32Array(screensMax),
})

const addScreen = (screens: Screens, mover: number, from: Float64Array, at: number, left: Float64Array): void => {
  if (screens.count === screensMax) {
    throw new RangeError(`The movers have more than ${screensMax} screens; remove some movers.`)
  }
  const to = screens.count * stride
  for (let i = 0; i < screenStride; i++) screens.values[to + i] = from[at + i]!
  for (let axis = 0; axis < 3; axis++) screens.values[to + screenStride + axis] = left[axis]!
  screens.movers[screens.count++] = mover
}

const capsule = new Float64Array(screenStride)
const anyLeft = Float64Array.of(1, 0, 0)

/** Sets the screens of the movers. */
export const setScreens = (screens: Screens, movers: ReadonlyArray<Mover>): void => {
  screens.count = 0
  movers.forEach(({ shadow, solids }, m) => {
    if (solids !== null) {
      for (let at = 0; at < solids.screens.length; at += screenStride) {
        addScreen(screens, m, solids.screens, at, solids.left)
      }
    } else if (shadow !== null) {
      capsule.set(shadow.low, 0)
      capsule.set(shadow.high, 3)
      capsule.fill(shadow.halfWidthM, 6, 8)
      addScreen(screens, m, capsule, 0, anyLeft)
    }
  })
}

/** An edge this near to an end of a path counts as at this distance. */
const edgeDistanceMinM = 0.1
/** A screen takes effect over this distance before its axis comes between the ends. */
const fadeM = 0.15

const factor = new Float64Array(2)

/** Multiplies `out` by the factor of one screen on the path from a to b, which is `beforeM` and `afterM` longer than this part. */
const screenPath = (
  values: Float64Array,
  at: number,
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
  beforeM: number,
  afterM: number,
  wavelengthM: number,
  out: Float64Array,
): void => {
  const dx = bx - ax, dy = by - ay, dz = bz - az
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz)
  if (length < 1e-6) return
  const ux = dx / length, uy = dy / length, uz = dz / length
  const lx = values[at]! - ax, ly = values[at + 1]! - ay, lz = values[at + 2]! - az
  const hx = values[at + 3]! - ax, hy = values[at + 4]! - ay, hz = values[at + 5]! - az
  const reach = (ux * (lx + hx) + uy * (ly + hy) + uz * (lz + hz)) / 2
  const within = Math.min(1, Math.max(0, reach / fadeM), Math.max(0, (length - reach) / fadeM))
  if (within === 0) return
  // The axis of the screen in the plane across the path, and the direction across both.
  const la = lx * ux + ly * uy + lz * uz, ha = hx * ux + hy * uy + hz * uz
  const px = lx - la * ux, py = ly - la * uy, pz = lz - la * uz
  let ex = hx - ha * ux - px, ey = hy - ha * uy - py, ez = hz - ha * uz - pz
  const extent = Math.sqrt(ex * ex + ey * ey + ez * ez)
  if (extent > 1e-6) {
    ex /= extent
    ey /= extent
    ez /= extent
  } else {
    const flat = Math.max(1e-6, Math.sqrt(ux * ux + uy * uy))
    ex = -uy / flat
    ey = ux / flat
    ez = 0
  }
  const cx = uy * ez - uz * ey, cy = uz * ex - ux * ez, cz = ux * ey - uy * ex
  const wide = cx * values[at + 8]! + cy * values[at + 9]! + cz * values[at + 10]!
  const width = values[at + 6]!, depth = values[at + 7]!
  const half = Math.sqrt(width * width * wide * wide + depth * depth * Math.max(0, 1 - wide * wide))
  const aside = px * cx + py * cy + pz * cz
  const along = px * ex + py * ey + pz * ez
  const rim = Math.min(half, depth)
  writeScreened(
    aside - half,
    aside + half,
    along - rim / 2,
    along + extent + rim / 2,
    Math.max(edgeDistanceMinM, Math.min(length, reach)) + beforeM,
    Math.max(edgeDistanceMinM, length - Math.min(length, Math.max(0, reach))) + afterM,
    wavelengthM,
    factor,
  )
  const re = 1 - within * (1 - factor[0]!)
  const im = within * factor[1]!
  const product = out[0]! * re - out[1]! * im
  out[1] = out[0]! * im + out[1]! * re
  out[0] = product
}

/**
 * Multiplies `out` by the remaining field of the straight path from a to b. `skipped` is the index of a screen that has no effect, or -1;
 * the path is longer than this part by `beforeM` and `afterM`.
 */
export const writeRemaining = (
  screens: Screens,
  skipped: number,
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
  beforeM: number,
  afterM: number,
  wavelengthM: number,
  out: Float64Array,
): void => {
  for (let s = 0; s < screens.count; s++) {
    if (s === skipped) continue
    screenPath(screens.values, s * stride, ax, ay, az, bx, by, bz, beforeM, afterM, wavelengthM, out)
  }
}
