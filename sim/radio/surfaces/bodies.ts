/**
 * Bodies: the pieces of all movers as one flat array, in the form of `physical-optics.ts`.
 */
import type { Mover } from "../mover.ts"
import { pieceStride } from "../solids.ts"
import { opticsStride } from "./physical-optics.ts"

/** Largest number of pieces of all movers together. */
const piecesMax = 1024

export interface Bodies {
  count: number
  /** See `writeWeight`. */
  readonly pieces: Float64Array
  /** The screen that does not shadow a piece, because the piece is part of it; -1 for none. */
  readonly ownScreen: Int32Array
}

export const createBodies = (): Bodies => ({
  count: 0,
  pieces: new Float64Array(piecesMax * opticsStride),
  ownScreen: new Int32Array(piecesMax),
})

/**
 * Bistatic cross section of the standing body of girth 1 by this model at 2.44 GHz, mean over directions to nodes between floor and
 * ceiling; a test repeats the measurement. Back towards one node at the height of the trunk it is four times as large.
 */
const standingBodyM2 = 0.34

const reserve = (bodies: Bodies): number => {
  if (bodies.count === piecesMax) {
    throw new RangeError(`The movers have more than ${piecesMax} pieces; remove some movers.`)
  }
  return opticsStride * bodies.count++
}

const addPoint = (bodies: Bodies, x: number, y: number, z: number, amplitude: number, screen: number): void => {
  bodies.ownScreen[bodies.count] = screen
  const at = reserve(bodies)
  bodies.pieces.set([x, y, z], at)
  bodies.pieces[at + 12] = amplitude
  bodies.pieces[at + 13] = 1
}

/** Adds the cylinder at `from` of `values`; `left` is the direction of its width, as far as it is across the axis. */
const addCylinder = (
  { pieces }: Bodies,
  at: number,
  values: Float64Array,
  from: number,
  left: Float64Array,
  amplitude: number,
): void => {
  let length = 0
  let wide = 0
  for (let axis = 0; axis < 3; axis++) {
    const low = values[from + axis]!
    const high = values[from + 3 + axis]!
    pieces[at + axis] = (low + high) / 2
    pieces[at + 3 + axis] = high - low
    length += (high - low) ** 2
  }
  length = Math.max(1e-6, Math.sqrt(length))
  for (let axis = 0; axis < 3; axis++) {
    pieces[at + 3 + axis]! /= length
    wide += left[axis]! * pieces[at + 3 + axis]!
  }
  let norm = 0
  for (let axis = 0; axis < 3; axis++) {
    pieces[at + 9 + axis] = left[axis]! - wide * pieces[at + 3 + axis]!
    norm += pieces[at + 9 + axis]! ** 2
  }
  for (let axis = 0; axis < 3; axis++) pieces[at + 9 + axis]! /= Math.max(1e-6, Math.sqrt(norm))
  pieces[at + 6] = length
  pieces[at + 7] = values[from + 6]!
  pieces[at + 8] = values[from + 7]!
  pieces[at + 12] = amplitude
  pieces[at + 13] = 0
}

/**
 * Sets the pieces of the movers.
 *
 * @param screenOf index of the first screen of a mover, -1 for none
 * @param reflection magnitude of the reflection of a body, which inverts the field
 */
export const setBodies = (
  bodies: Bodies,
  movers: ReadonlyArray<Mover>,
  screenOf: (mover: number) => number,
  reflection: number,
  wavelengthM: number,
): void => {
  bodies.count = 0
  movers.forEach(({ attenuationDb, points, rcsM2, solids }, m) => {
    // The loss of walls applies to each of the two legs.
    const loss = 10 ** (-attenuationDb / 10)
    const screen = screenOf(m)
    if (solids === null) {
      const scale = (loss * wavelengthM) / (4 * Math.PI) ** 1.5
      rcsM2.forEach((rcs, s) => {
        addPoint(bodies, points[3 * s]!, points[3 * s + 1]!, points[3 * s + 2]!, scale * Math.sqrt(rcs), screen)
      })
      return
    }
    const amplitude = -loss * reflection * Math.sqrt(solids.crossSectionM2 / standingBodyM2)
    for (let piece = 0; piece * pieceStride < solids.pieces.length; piece++) {
      bodies.ownScreen[bodies.count] = piece < solids.trunkPieces ? screen : -1
      addCylinder(bodies, reserve(bodies), solids.pieces, piece * pieceStride, solids.left, amplitude)
    }
  })
}
