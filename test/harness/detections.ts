/** Detections for the tests of tracking: an adult by default. */
import type { Detection } from "../../core/imaging/movers.ts"
import type { StillEcho } from "../../core/imaging/still-echo.ts"

/** Static echo; null if the empty room is unknown. */
export const stillEcho = (ownSectionM2: number | null): StillEcho => ({ ownSectionM2 })

/** The echo of an adult, of a place that is empty, and of a place of which nothing is known. */
export const adultEcho = stillEcho(0.1)
export const noEcho = stillEcho(0)
export const unknownEcho = stillEcho(null)

/** A person who moves at a position, with this velocity. */
export const detectionAt = (
  x: number,
  y: number,
  [vx, vy]: readonly [number, number] = [0, 0],
  over: Partial<Detection> = {},
): Detection => ({
  x,
  y,
  sigmaM: 0.15,
  score: 0.6,
  crossSectionM2: 0.2,
  velocity: { x: vx, y: vy, sigmaMps: 0.15, agreement: 2 },
  still: unknownEcho,
  ...over,
})
