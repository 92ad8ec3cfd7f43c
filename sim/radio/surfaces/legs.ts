/**
 * Legs: what the echoes of all links have in common, per node, image and piece.
 *
 * A leg has the direction from the piece to the image, a complex weight (pattern x reflection x screens x walls / d), and the phases of
 * each element at the first tone and per step of the tones. Boundary: the weight of a piece between two legs is in
 * `physical-optics.ts`, the sum in `echoes.ts`.
 */
import { speedOfLightMps } from "../../../core/math/speed-of-light.ts"
import { type RoomDescription, throughWallsDb } from "../../rooms/room.ts"
import type { Tones } from "../tones.ts"
import type { Bodies } from "./bodies.ts"
import { type End, patternOf } from "./ends.ts"
import { opticsStride } from "./physical-optics.ts"
import { type Screens, writeRemaining } from "./screens.ts"
import { writeSlab } from "./slab.ts"

/** A piece nearer than this counts as at this distance. */
const distanceMinM = 0.3
/** For pieces outside the room, reflections in its walls fade over this distance. */
const fadeM = 0.5

export interface Legs {
  readonly images: number
  readonly elements: number
  /** Length of a row of pieces; the arrays only grow. */
  pieces: number
  /** [node][image][piece][xyz] and [node][image][piece]. */
  directions: Float64Array
  re: Float64Array
  im: Float64Array
  /** [node][image][element][piece]: [phase at the first tone re, im, step re, im]. */
  phases: Float64Array
}

export const createLegs = (images: number, elements: number): Legs => ({
  images,
  elements,
  pieces: 0,
  directions: new Float64Array(0),
  re: new Float64Array(0),
  im: new Float64Array(0),
  phases: new Float64Array(0),
})

const reserve = (legs: Legs, nodes: number, pieces: number): void => {
  legs.pieces = pieces
  const count = nodes * legs.images * pieces
  if (count <= legs.re.length) return
  legs.directions = new Float64Array(3 * count)
  legs.re = new Float64Array(count)
  legs.im = new Float64Array(count)
  legs.phases = new Float64Array(4 * count * legs.elements)
}

const factor = new Float64Array(2)
const coefficient = new Float64Array(2)

/** Writes the screens' factor on the way from an image over its surface to a piece to `factor`; z, y, x is the piece. */
const screenLeg = (
  screens: Screens,
  own: number,
  end: End,
  image: number,
  x: number,
  y: number,
  z: number,
  wavelengthM: number,
): void => {
  factor[0] = 1
  factor[1] = 0
  if (screens.count === 0) return
  const slab = end.slabs[image]!
  const [nx, ny, nz] = end.antennas.position
  if (slab === null) {
    writeRemaining(screens, own, nx, ny, nz, x, y, z, 0, 0, wavelengthM, factor)
    return
  }
  const i = 3 * image
  const mx = end.middles[i]!, my = end.middles[i + 1]!, mz = end.middles[i + 2]!
  const { axis, offset } = slab.surface
  const low = axis === 0 ? mx : axis === 1 ? my : mz
  const high = axis === 0 ? x : axis === 1 ? y : z
  const part = Math.min(1, Math.max(0, (offset - low) / (high - low || 1e-9)))
  const cx = mx + part * (x - mx), cy = my + part * (y - my), cz = mz + part * (z - mz)
  const length = Math.sqrt((x - mx) ** 2 + (y - my) ** 2 + (z - mz) ** 2)
  writeRemaining(screens, own, nx, ny, nz, cx, cy, cz, 0, (1 - part) * length, wavelengthM, factor)
  writeRemaining(screens, own, cx, cy, cz, x, y, z, part * length, 0, wavelengthM, factor)
}

/** Multiplies `factor` by the gain of a leg: pattern and reflection or loss of walls, over distance. */
const gainLeg = (
  room: RoomDescription,
  end: End,
  image: number,
  kx: number,
  ky: number,
  kz: number,
  d: number,
  x: number,
  y: number,
  z: number,
): void => {
  const slab = end.slabs[image]!
  const outside = Math.max(0, -x, x - room.size[0], -y, y - room.size[1], -z, z - room.size[2])
  let re = 1 / d
  let im = 0
  if (slab === null) {
    re *= patternOf(end, kx, ky, kz)
    const [nx, ny, nz] = end.antennas.position
    if (outside > 0) re *= 10 ** (-throughWallsDb(room, nx, ny, nz, x, y, z) / 20)
  } else {
    const { axis } = slab.surface
    const pattern = patternOf(end, axis === 0 ? -kx : kx, axis === 1 ? -ky : ky, axis === 2 ? -kz : kz)
    writeSlab(slab, axis === 0 ? kx : axis === 1 ? ky : kz, coefficient)
    const scale = re * pattern * Math.max(0, 1 - outside / fadeM)
    re = scale * coefficient[0]!
    im = scale * coefficient[1]!
  }
  const product = factor[0]! * re - factor[1]! * im
  factor[1] = factor[0]! * im + factor[1]! * re
  factor[0] = product
}

/** Writes the phases of a node's elements towards the point (x, y, z). */
const writePhases = (
  { elements, phases, pieces }: Legs,
  tones: Tones,
  end: End,
  image: number,
  row: number,
  piece: number,
  x: number,
  y: number,
  z: number,
): void => {
  const first = (-2 * Math.PI * (tones.centerFrequencyHz + tones.indices[0]! * tones.spacingHz)) / speedOfLightMps
  const step = (-2 * Math.PI * tones.spacingHz * tones.step) / speedOfLightMps
  for (let e = 0; e < elements; e++) {
    const i = 3 * (image * elements + e)
    const dx = x - end.elements[i]!, dy = y - end.elements[i + 1]!, dz = z - end.elements[i + 2]!
    const d = Math.sqrt(dx * dx + dy * dy + dz * dz)
    const at = 4 * ((row * elements + e) * pieces + piece)
    phases[at] = Math.cos(first * d)
    phases[at + 1] = Math.sin(first * d)
    phases[at + 2] = Math.cos(step * d)
    phases[at + 3] = Math.sin(step * d)
  }
}

/** Computes the legs of all ends to all pieces. */
export const illuminateLegs = (
  legs: Legs,
  room: RoomDescription,
  tones: Tones,
  ends: ReadonlyArray<End>,
  bodies: Bodies,
  screens: Screens,
  wavelengthM: number,
): void => {
  reserve(legs, ends.length, bodies.count)
  const { directions, images, im, pieces, re } = legs
  for (let n = 0; n < ends.length; n++) {
    const end = ends[n]!
    for (let image = 0; image < images; image++) {
      const row = n * images + image
      const i = 3 * image
      const mx = end.middles[i]!, my = end.middles[i + 1]!, mz = end.middles[i + 2]!
      for (let piece = 0; piece < pieces; piece++) {
        const from = piece * opticsStride
        const x = bodies.pieces[from]!, y = bodies.pieces[from + 1]!, z = bodies.pieces[from + 2]!
        const d = Math.max(distanceMinM, Math.sqrt((x - mx) ** 2 + (y - my) ** 2 + (z - mz) ** 2))
        const kx = (x - mx) / d, ky = (y - my) / d, kz = (z - mz) / d
        screenLeg(screens, bodies.ownScreen[piece]!, end, image, x, y, z, wavelengthM)
        gainLeg(room, end, image, kx, ky, kz, d, x, y, z)
        const at = row * pieces + piece
        directions[3 * at] = -kx
        directions[3 * at + 1] = -ky
        directions[3 * at + 2] = -kz
        re[at] = factor[0]!
        im[at] = factor[1]!
        writePhases(legs, tones, end, image, row, piece, x, y, z)
      }
    }
  }
}
