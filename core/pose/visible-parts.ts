/** The visible parts of a body in its picture, each with places spread over its visible area. */
import { type PartName, type PartSide, surfaceParts } from "./body-parts.ts"
import type { SurfacePicture } from "./render-body.ts"

export interface VisiblePart {
  readonly id: number
  readonly name: PartName
  readonly side: PartSide | null
  /** Places of the surface, 0..1 each; at most `placesMax`. */
  readonly uv: ReadonlyArray<readonly [u: number, v: number]>
  /** Mean over the part's pixels, 0..1. */
  readonly confidence: number
}

/** The visible area of a part is divided into this many cells each way, each of which gives one place. */
const cellsAside = 4
const cells = cellsAside * cellsAside
export const placesMax = cells

interface Extent {
  uMin: number
  uMax: number
  vMin: number
  vMax: number
  pixels: number
  confidence: number
}

const extentsOf = ({ confidence, iuv }: SurfacePicture): ReadonlyArray<Extent> => {
  const extents = Array.from({ length: surfaceParts.length + 1 }, (): Extent => ({
    uMin: 255,
    uMax: 0,
    vMin: 255,
    vMax: 0,
    pixels: 0,
    confidence: 0,
  }))
  for (let at = 0; at < confidence.length; at++) {
    const extent = extents[iuv[3 * at]!]!
    const u = iuv[3 * at + 1]!
    const v = iuv[3 * at + 2]!
    if (u < extent.uMin) extent.uMin = u
    if (u > extent.uMax) extent.uMax = u
    if (v < extent.vMin) extent.vMin = v
    if (v > extent.vMax) extent.vMax = v
    extent.pixels++
    extent.confidence += confidence[at]!
  }
  return extents
}

/** Position of a value among the cells of a range; a cell's index plus one half is its middle. */
const cellPlace = (value: number, min: number, max: number): number => cellsAside * (value - min) / (max + 1 - min)

/** Visible parts, in the order of their ids. */
export const visibleParts = (picture: SurfacePicture): ReadonlyArray<VisiblePart> => {
  const { confidence, iuv } = picture
  const extents = extentsOf(picture)
  // For each part and cell: the pixel nearest to the middle of the cell, and its distance.
  const nearest = new Int32Array(extents.length * cells).fill(-1)
  const distance = new Float64Array(extents.length * cells).fill(Infinity)
  for (let at = 0; at < confidence.length; at++) {
    const id = iuv[3 * at]!
    if (id === 0) continue
    const { uMax, uMin, vMax, vMin } = extents[id]!
    const u = cellPlace(iuv[3 * at + 1]!, uMin, uMax)
    const v = cellPlace(iuv[3 * at + 2]!, vMin, vMax)
    const column = Math.floor(u)
    const row = Math.floor(v)
    const cell = id * cells + row * cellsAside + column
    const away = (u - column - 0.5) ** 2 + (v - row - 0.5) ** 2
    if (away >= distance[cell]!) continue
    distance[cell] = away
    nearest[cell] = at
  }
  return surfaceParts.flatMap(({ id, name, side }) => {
    const { confidence: sum, pixels } = extents[id]!
    if (pixels === 0) return []
    const uv = Array.from(nearest.subarray(id * cells, (id + 1) * cells)).flatMap((at) =>
      at < 0 ? [] : [[iuv[3 * at + 1]! / 255, iuv[3 * at + 2]! / 255] as const]
    )
    return [{ id, name, side, uv, confidence: sum / (255 * pixels) }]
  })
}
