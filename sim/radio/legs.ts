/**
 * Legs: the channels between each node's antennas and each moving point.
 *
 * The echo of a point s on the link i -> j is the product of two legs, A_i(s) A_j(s), with
 *   A_n(s, element, tone) = sqrt(sqrt(rcs_s) lambda / (4 pi)^(3/2)) aspect_n(s)
 *                           sum over n's images of pattern x reflection x shadow x loss / d  e^{-j 2 pi f d / c}.
 * Legs are computed once for all links of a round; their products include every bounce off a wall before, after, or on both sides
 * of the body. Boundary: the sum over points is in `scene.ts`, the sum over images and tones in `rays.ts`.
 *
 * A leg has two kinds of shadows: those of other bodies, computed for the middle of the illuminated body, and that of the point's
 * own torso, computed for the point itself when it lies outside the torso.
 */
import { type RoomDescription, throughWallsDb } from "../rooms/room.ts"
import { beyondBreakpoint } from "./air.ts"
import { dipolePattern } from "./antenna.ts"
import { writeAspect } from "./aspect.ts"
import type { Capsules } from "./capsules.ts"
import type { RadioRoom } from "./empty-room.ts"
import type { Mover } from "./mover.ts"
import type { NodeImages } from "./node-images.ts"
import { createRays, type Rays, sumRays, turnRays } from "./rays.ts"
import { writeReflection } from "./reflection.ts"
import { capsuleStride, shadowOf } from "./shadow.ts"
import type { Tones } from "./tones.ts"

/** Largest number of points of all movers together. */
const pointsMax = 4096

/** Smallest distance of a point in the far-field formula; nearer points count as at this distance. */
const distanceMinM = 0.3
/** For points outside the room, reflections in its walls fade over this distance. */
const fadeM = 0.5
/** The own torso begins to shadow a point at `from` half widths from the axis, and shadows it fully from `to` on. */
const ownShadow = { from: 1, to: 1.25 } as const

export interface Legs {
  /** Points of all movers at the last illumination. */
  points: number
  /** [node][element][tone][point], with `points` as the length of a row. */
  re: Float64Array
  im: Float64Array
}

/** State and scratch memory of the illumination of a room. */
interface Illumination {
  readonly radioRoom: RadioRoom
  readonly tones: Tones
  readonly nodes: ReadonlyArray<NodeImages>
  readonly elements: number
  readonly legs: Legs
  readonly rays: Rays
  /** Scratch: shadow of each image on the mover at hand, a complex pair for reflection, one for the aspect. */
  readonly shadows: Float64Array
  readonly coefficient: Float64Array
  readonly aspect: Float64Array
}

export const createIllumination = (
  radioRoom: RadioRoom,
  tones: Tones,
  nodes: ReadonlyArray<NodeImages>,
  elements: number,
): Illumination => {
  const images = Math.max(...nodes.map(({ count }) => count))
  return {
    radioRoom,
    tones,
    nodes,
    elements,
    legs: { points: 0, re: new Float64Array(0), im: new Float64Array(0) },
    rays: createRays(elements, images, tones.indices.length),
    shadows: new Float64Array(images),
    coefficient: new Float64Array(2),
    aspect: new Float64Array(2),
  }
}

/** Reserves memory for `points` points; the arrays only grow. */
const reserve = ({ elements, legs, nodes, tones }: Illumination, points: number): void => {
  if (points > pointsMax) {
    throw new RangeError(`The movers have ${points} scatterers, but a scene supports ${pointsMax}: remove some movers.`)
  }
  const values = nodes.length * elements * tones.indices.length * points
  if (values > legs.re.length) {
    legs.re = new Float64Array(values)
    legs.im = new Float64Array(values)
  }
  legs.points = points
}

/** Sets the remaining amplitudes, behind other bodies, of the paths from a node's images to a mover. */
const setShadows = (
  run: Illumination,
  node: NodeImages,
  capsules: Capsules,
  mover: number,
  points: Float64Array,
): void => {
  const { radioRoom, shadows } = run
  const { middles, mirrors } = node
  shadows.fill(1)
  if (capsules.count === 0) return
  const own = capsules.ofMover[mover]!
  const axis = own * capsuleStride
  const at = (i: number): number =>
    own < 0 ? points[i]! : (capsules.values[0]![axis + i]! + capsules.values[0]![axis + i + 3]!) / 2
  const x = at(0), y = at(1), z = at(2)
  for (let b = 0; b < node.count; b++) {
    const mirror = mirrors[b] ?? null
    const mirrored = mirror === null ? null : capsules.values[1 + radioRoom.mirrors.indexOf(mirror)]!
    let left = 1
    for (let c = 0; c < capsules.count; c++) {
      if (c === own) continue
      const i = 3 * b
      const k = c * capsuleStride
      left *= shadowOf(
        middles[i]!,
        middles[i + 1]!,
        middles[i + 2]!,
        x,
        y,
        z,
        capsules.values[0]!,
        k,
        radioRoom.wavelengthM,
      )
      if (mirrored !== null) {
        left *= shadowOf(middles[i]!, middles[i + 1]!, middles[i + 2]!, x, y, z, mirrored, k, radioRoom.wavelengthM)
      }
    }
    shadows[b] = left
  }
}

/** Share of the own torso's shadow that applies to a point: 0 within the torso, 1 from a quarter of its half width outside. */
const ownShadowPart = (capsules: Float64Array, at: number, x: number, y: number, z: number): number => {
  const ex = capsules[at + 3]! - capsules[at]!
  const ey = capsules[at + 4]! - capsules[at + 1]!
  const ez = capsules[at + 5]! - capsules[at + 2]!
  const px = x - capsules[at]!, py = y - capsules[at + 1]!, pz = z - capsules[at + 2]!
  const ee = ex * ex + ey * ey + ez * ez
  const up = ee > 0 ? Math.min(1, Math.max(0, (px * ex + py * ey + pz * ez) / ee)) : 0
  const dx = px - up * ex, dy = py - up * ey, dz = pz - up * ez
  const widths = Math.sqrt(dx * dx + dy * dy + dz * dz) / capsules[at + 6]!
  return Math.min(1, Math.max(0, (widths - ownShadow.from) / (ownShadow.to - ownShadow.from)))
}

/** Distance of a point from the room; 0 inside. */
const outsideM = ({ size }: RoomDescription, x: number, y: number, z: number): number =>
  Math.max(0, -x, x - size[0], -y, y - size[1], -z, z - size[2])

/** Fills the rays from a node's images to the point (x, y, z): lengths and gains. */
const castRays = (
  run: Illumination,
  node: NodeImages,
  x: number,
  y: number,
  z: number,
  scale: number,
  capsules: Float64Array,
  own: number,
): void => {
  const { aspect, coefficient, elements, radioRoom, rays, shadows } = run
  const { imagesPadded, im, lengthM, re } = rays
  const { breakpointM } = radioRoom.air
  const { dipoles, middles, mirrors } = node
  const outside = outsideM(radioRoom.room, x, y, z)
  const ownPart = own < 0 ? 0 : ownShadowPart(capsules, own, x, y, z)
  for (let b = 0; b < node.count; b++) {
    const i = 3 * b
    const mx = middles[i]!, my = middles[i + 1]!, mz = middles[i + 2]!
    const d = Math.max(distanceMinM, Math.sqrt((x - mx) * (x - mx) + (y - my) * (y - my) + (z - mz) * (z - mz)))
    const kx = (x - mx) / d, ky = (y - my) / d, kz = (z - mz) / d
    let gain = (scale * shadows[b]! * node.polarisation *
      dipolePattern(kx * dipoles[i]! + ky * dipoles[i + 1]! + kz * dipoles[i + 2]!) *
      beyondBreakpoint(d, breakpointM)) / d
    if (ownPart > 0) {
      const left = shadowOf(mx, my, mz, x, y, z, capsules, own, radioRoom.wavelengthM)
      gain *= 1 - ownPart * (1 - left)
    }
    const mirror = mirrors[b] ?? null
    let gRe = gain
    let gIm = 0
    if (mirror === null) {
      if (outside > 0) gRe *= 10 ** (-throughWallsDb(radioRoom.room, mx, my, mz, x, y, z) / 20)
    } else {
      writeReflection(mirror, kx, ky, kz, coefficient)
      const fade = gain * Math.max(0, 1 - outside / fadeM)
      gRe = fade * coefficient[0]!
      gIm = fade * coefficient[1]!
    }
    const turnedRe = gRe * aspect[0]! - gIm * aspect[1]!
    const turnedIm = gRe * aspect[1]! + gIm * aspect[0]!
    for (let e = 0; e < elements; e++) {
      const from = 3 * (b * elements + e)
      const ex = x - node.elements[from]!, ey = y - node.elements[from + 1]!, ez = z - node.elements[from + 2]!
      const r = e * imagesPadded + b
      lengthM[r] = Math.sqrt(ex * ex + ey * ey + ez * ez)
      re[r] = turnedRe
      im[r] = turnedIm
    }
  }
}

/** Sets the aspect of a mover's point in the direction of a node. */
const setAspect = (
  run: Illumination,
  node: NodeImages,
  mover: Mover,
  point: number,
  cos: number,
  sin: number,
): void => {
  const { aspect } = run
  aspect[0] = 1
  aspect[1] = 0
  if (mover.aspect === null) return
  const dx = node.middles[0]! - mover.points[3 * point]!
  const dy = node.middles[1]! - mover.points[3 * point + 1]!
  const d = Math.max(1e-9, Math.sqrt(dx * dx + dy * dy))
  writeAspect(mover.aspect, point, (dx * cos + dy * sin) / d, (dy * cos - dx * sin) / d, aspect)
}

/** Writes the sums of the rays as column `point` of a node's legs. */
const storeLegs = ({ elements, legs, rays, tones }: Illumination, node: number, point: number): void => {
  const rows = elements * tones.indices.length
  const { im, points, re } = legs
  let at = node * rows * points + point
  for (let row = 0; row < rows; row++, at += points) {
    re[at] = rays.sumRe[row]!
    im[at] = rays.sumIm[row]!
  }
}

/** Computes the legs of all nodes to all points of the movers. */
export const illuminateLegs = (run: Illumination, movers: ReadonlyArray<Mover>, capsules: Capsules): void => {
  let points = 0
  for (const mover of movers) points += mover.rcsM2.length
  reserve(run, points)
  const legScale = run.radioRoom.wavelengthM / (4 * Math.PI) ** 1.5
  let first = 0
  for (let m = 0; m < movers.length; m++) {
    const mover = movers[m]!
    const loss = 10 ** (-mover.attenuationDb / 20)
    const cos = Math.cos(mover.headingRad)
    const sin = Math.sin(mover.headingRad)
    const own = capsules.ofMover[m]! < 0 ? -1 : capsules.ofMover[m]! * capsuleStride
    for (let n = 0; n < run.nodes.length; n++) {
      const node = run.nodes[n]!
      setShadows(run, node, capsules, m, mover.points)
      for (let s = 0; s < mover.rcsM2.length; s++) {
        const scale = loss * Math.sqrt(Math.sqrt(mover.rcsM2[s]!) * legScale)
        setAspect(run, node, mover, s, cos, sin)
        castRays(
          run,
          node,
          mover.points[3 * s]!,
          mover.points[3 * s + 1]!,
          mover.points[3 * s + 2]!,
          scale,
          capsules.values[0]!,
          own,
        )
        turnRays(run.rays, run.tones)
        sumRays(run.rays, run.tones)
        storeLegs(run, n, first + s)
      }
    }
    first += mover.rcsM2.length
  }
}
