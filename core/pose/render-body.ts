/**
 * Renders a fitted body: the visible part of its surface and the position on that part in each pixel, for a viewer who
 * looks along +y.
 *
 * Orthographic, by depth: every solid is cast against the pixels that it may cover, and the nearest surface is kept.
 * All per-pixel work is on numbers in typed arrays; allocations depend on the size of the picture only.
 */
import type { WorldWindow } from "../imaging/geometry.ts"
import { type Chart, reachM, type Solid } from "./body-surface.ts"
import type { BodySolid, FittedBody } from "./fitted-body.ts"

/** The visible surface of a body, row by row from the upper left. */
export interface SurfacePicture {
  readonly widthPx: number
  readonly heightPx: number
  /** The part's id (0: no body), u and v in 255ths of each pixel. */
  readonly iuv: Uint8Array
  /** In 255ths for each pixel; 0 without a body. */
  readonly confidence: Uint8Array
}

/** Pixels of the longer side of a person's picture. */
export const longSidePx = 112

/** Surfaces nearer to each other than this are one and belong to the first solid: neighbours share a ball. */
const sameDepthM = 1e-6

/** The pixels of a window, with the depth (world y) of the nearest surface in each and the index of its chart. */
interface Grid {
  readonly widthPx: number
  readonly heightPx: number
  /** World x and z of the middle of the upper left pixel, and metres from pixel to pixel. */
  readonly firstX: number
  readonly firstZ: number
  readonly stepX: number
  readonly stepZ: number
  readonly depth: Float64Array
  /** Index of a chart, or `nothing`. */
  readonly chart: Uint8Array
}

const nothing = 255

const gridOf = ({ bottomM, heightM, leftM, widthM }: WorldWindow): Grid => {
  const perM = longSidePx / Math.max(widthM, heightM)
  const widthPx = Math.max(1, Math.round(widthM * perM))
  const heightPx = Math.max(1, Math.round(heightM * perM))
  const stepX = widthM / widthPx
  const stepZ = heightM / heightPx
  return {
    widthPx,
    heightPx,
    firstX: leftM + stepX / 2,
    firstZ: bottomM + heightM - stepZ / 2,
    stepX,
    stepZ,
    depth: new Float64Array(widthPx * heightPx).fill(Infinity),
    chart: new Uint8Array(widthPx * heightPx).fill(nothing),
  }
}

/** Values that all rays against a solid share. Lengths are in units of the solid's own frame. */
interface Cast {
  /** A metre of the ray. */
  readonly rx: number
  readonly ry: number
  readonly rz: number
  readonly length: number
  readonly r0: number
  readonly r1: number
  /**
   * Sine of the cone's half angle, and 1 over the square of its cosine; 0 without a cone, where one ball contains the
   * other.
   */
  readonly sine: number
  readonly perCosine2: number
  readonly ballA: number
  readonly coneA: number
}

const castOf = ({ directions: [d0, d1, d2], length, radii: [r0, r1], unitsM }: Solid): Cast => {
  const [rx, ry, rz] = [d0[1] / unitsM[0], d1[1] / unitsM[1], d2[1] / unitsM[2]]
  const sine = length > Math.abs(r0 - r1) ? (r0 - r1) / length : 0
  const perCosine2 = length > Math.abs(r0 - r1) ? 1 / (1 - sine * sine) : 0
  const square = rx * rx + ry * ry
  return {
    rx,
    ry,
    rz,
    length,
    r0,
    r1,
    sine,
    perCosine2,
    ballA: square + rz * rz,
    coneA: square - sine * sine * perCosine2 * rz * rz,
  }
}

/**
 * Metres from a point of a ray to its first intersection with the solid; Infinity without one. In the solid's own frame
 * the balls are round, and the hull is bounded by the balls and the cone that touches both: the cone's radius at a
 * height z is (r0 - sine z) / cosine, from z = r0 sine to z = length + r1 sine.
 */
const meets = (cast: Cast, ox: number, oy: number, oz: number): number => {
  const { ballA, coneA, length, perCosine2, r0, r1, rz, sine } = cast
  const aside = cast.rx * ox + cast.ry * oy
  const square = ox * ox + oy * oy
  let nearest = Infinity

  const nearB = aside + rz * oz
  const nearD = nearB * nearB - ballA * (square + oz * oz - r0 * r0)
  if (nearD >= 0) nearest = (-nearB - Math.sqrt(nearD)) / ballA

  const fz = oz - length
  const farB = aside + rz * fz
  const farD = farB * farB - ballA * (square + fz * fz - r1 * r1)
  if (farD >= 0) nearest = Math.min(nearest, (-farB - Math.sqrt(farD)) / ballA)

  const radius = r0 - sine * oz
  const coneB = aside + sine * perCosine2 * radius * rz
  const coneD = coneB * coneB - coneA * (square - radius * radius * perCosine2)
  if (perCosine2 === 0 || coneD < 0) return nearest
  const root = Math.sqrt(coneD)
  const first = (-coneB - root) / coneA
  const second = (-coneB + root) / coneA
  const from = r0 * sine
  const to = length + r1 * sine
  const firstZ = oz + rz * first
  const secondZ = oz + rz * second
  if (firstZ >= from && firstZ <= to) nearest = Math.min(nearest, first)
  if (secondZ >= from && secondZ <= to) nearest = Math.min(nearest, second)
  return nearest
}

/** Casts a solid against the pixels that it may cover. */
const castSolid = (grid: Grid, solid: BodySolid): void => {
  const { directions: [d0, d1, d2], origin: [originX, originY, originZ], unitsM: [u0, u1, u2] } = solid
  const { chart: charts, depth, firstX, firstZ, heightPx, stepX, stepZ, widthPx } = grid
  const cast = castOf(solid)
  const fromColumn = Math.max(0, Math.ceil((originX - reachM(solid, -1, 0, 0) - firstX) / stepX))
  const toColumn = Math.min(widthPx - 1, Math.floor((originX + reachM(solid, 1, 0, 0) - firstX) / stepX))
  const fromRow = Math.max(0, Math.ceil((firstZ - originZ - reachM(solid, 0, 0, 1)) / stepZ))
  const toRow = Math.min(heightPx - 1, Math.floor((firstZ - originZ + reachM(solid, 0, 0, -1)) / stepZ))
  for (let py = fromRow; py <= toRow; py++) {
    const z = firstZ - py * stepZ - originZ
    for (let px = fromColumn; px <= toColumn; px++) {
      const x = firstX + px * stepX - originX
      // The ray begins at the depth of the solid's origin.
      const behindM = meets(
        cast,
        (d0[0] * x + d0[2] * z) / u0,
        (d1[0] * x + d1[2] * z) / u1,
        (d2[0] * x + d2[2] * z) / u2,
      )
      const at = py * widthPx + px
      if (originY + behindM >= depth[at]! - sameDepthM) continue
      depth[at] = originY + behindM
      charts[at] = solid.chart
    }
  }
}

/** Writes the pixels of one chart. */
const paintChart = (grid: Grid, index: number, chart: Chart, { confidence, iuv }: SurfacePicture): void => {
  const { across, along, apart, confidences, fromM, origin, parts, toM } = chart
  const whole = parts[0] === parts[1]
  const perM = 1 / Math.max(toM - fromM, Number.EPSILON)
  const { chart: charts, depth, firstX, firstZ, heightPx, stepX, stepZ, widthPx } = grid
  for (let py = 0; py < heightPx; py++) {
    const z = firstZ - py * stepZ - origin[2]
    for (let px = 0; px < widthPx; px++) {
      const at = py * widthPx + px
      if (charts[at] !== index) continue
      const x = firstX + px * stepX - origin[0]
      const y = depth[at]! - origin[1]
      const half = apart[0] * x + apart[1] * y + apart[2] * z
      const beside = across[0] * x + across[1] * y + across[2] * z
      const alongM = along[0] * x + along[1] * y + along[2] * z
      const turn = whole ? Math.atan2(beside, half) / (2 * Math.PI) : Math.atan2(beside, Math.abs(half)) / Math.PI
      const v = Math.max(0, Math.min(1, (alongM - fromM) * perM))
      iuv[3 * at] = half >= 0 ? parts[0] : parts[1]
      iuv[3 * at + 1] = Math.round(255 * (turn + 0.5))
      iuv[3 * at + 2] = Math.round(255 * v)
      confidence[at] = Math.round(255 * (confidences[0] + v * (confidences[1] - confidences[0])))
    }
  }
}

/** The visible surface of a body in a window with an area; the longer side of the picture has `longSidePx` pixels. */
export const renderBody = ({ charts, solids }: FittedBody, window: WorldWindow): SurfacePicture => {
  const grid = gridOf(window)
  const { heightPx, widthPx } = grid
  for (const solid of solids) castSolid(grid, solid)
  const picture: SurfacePicture = {
    widthPx,
    heightPx,
    iuv: new Uint8Array(3 * widthPx * heightPx),
    confidence: new Uint8Array(widthPx * heightPx),
  }
  for (const [index, chart] of charts.entries()) paintChart(grid, index, chart, picture)
  return picture
}
