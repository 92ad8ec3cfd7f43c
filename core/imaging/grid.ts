/** The grid over a room's floor plan: the points that are scored. */
import type { SiteGeometry, Vector3 } from "./geometry.ts"

/** Imaged height: the torso, which returns half of a body's energy. */
const imagedHeightM = 1
const gridStepM = 0.25
const gridCellsMax = 4096
const marginM = 0.3

/** Points of the floor plan, row by row. */
export interface Grid {
  readonly points: ReadonlyArray<Vector3>
  readonly columns: number
  readonly stepM: number
  /** Height of the points. */
  readonly heightM: number
}

/** A grid over the room's floor plan with a step of 0.25 m, or coarser in very large rooms. */
export const createGrid = ({ size: [width, depth, height] }: SiteGeometry): Grid => {
  const spanX = Math.max(width - 2 * marginM, 0)
  const spanY = Math.max(depth - 2 * marginM, 0)
  const stepM = Math.max(gridStepM, Math.sqrt((spanX * spanY) / gridCellsMax), (spanX + spanY) / 2048)
  const columns = Math.floor(spanX / stepM) + 1
  const rows = Math.floor(spanY / stepM) + 1
  const x0 = (width - (columns - 1) * stepM) / 2
  const y0 = (depth - (rows - 1) * stepM) / 2
  const heightM = Math.min(imagedHeightM, height / 2)
  const points = Array.from(
    { length: columns * rows },
    (_, i): Vector3 => [x0 + (i % columns) * stepM, y0 + Math.floor(i / columns) * stepM, heightM],
  )
  return { points, columns, stepM, heightM }
}

/** The five by five points around a place, `stepM` apart. */
export const around = ([x, y, z]: Vector3, stepM: number): ReadonlyArray<Vector3> =>
  Array.from({ length: 25 }, (_, i): Vector3 => [x + ((i % 5) - 2) * stepM, y + (Math.floor(i / 5) - 2) * stepM, z])

/** The nearest place within the room. */
export const insideOf = ({ size }: SiteGeometry, [x, y, z]: Vector3): Vector3 => [
  Math.max(0, Math.min(size[0], x)),
  Math.max(0, Math.min(size[1], y)),
  z,
]

/** Whether a place is over the room's floor. */
export const isInside = ({ size }: SiteGeometry, [x, y]: Vector3): boolean =>
  x >= 0 && y >= 0 && x <= size[0] && y <= size[1]
