/**
 * Antennas of a node: where its elements are, and how a dipole sends and hears.
 *
 * A node receives with a uniform line of elements half a wavelength apart and transmits from the middle of it, where phases are
 * counted from. All elements share one dipole axis, which may be tilted from upright.
 */
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../random.ts"
import type { Air } from "./air.ts"

export interface NodeAntennas {
  readonly position: Vector3
  /**
   * [element][xyz]: the receive antennas in order along the axis; after them the middle of the array where no antenna is there
   * (an even count).
   */
  readonly elements: Float64Array
  /** Index in `elements` of the middle: what transmits. */
  readonly middle: number
  /** Unit vector along the dipole. */
  readonly dipole: Vector3
  /** Amplitude that is left by the tilt against upright waves, once an end. */
  readonly polarisation: number
}

/** Places that each node's elements take with so many receive antennas: the antennas, and their middle. */
export const elementCount = (antennas: number): number => (antennas % 2 === 1 ? antennas : antennas + 1)

export const createAntennas = (
  node: RadioNode,
  antennas: number,
  wavelengthM: number,
  air: Air,
  random: Random,
): NodeAntennas => {
  const count = elementCount(antennas)
  const elements = new Float64Array(3 * count)
  for (let e = 0; e < count; e++) {
    const offsetM = e === antennas ? 0 : ((e - (antennas - 1) / 2) * wavelengthM) / 2
    for (let axis = 0; axis < 3; axis++) {
      elements[3 * e + axis] = node.position[axis]! + offsetM * node.arrayAxis[axis]!
    }
  }
  const tilt = uniformIn(random, ...air.tiltRad)
  const bearing = uniformIn(random, 0, 2 * Math.PI)
  return {
    position: node.position,
    elements,
    middle: antennas % 2 === 1 ? (antennas - 1) / 2 : antennas,
    dipole: [Math.sin(tilt) * Math.cos(bearing), Math.sin(tilt) * Math.sin(bearing), Math.cos(tilt)],
    polarisation: Math.cos(tilt),
  }
}

/** Amplitude along a dipole's axis: real devices have no perfect null. -10 dB. */
const axialAmplitude = 0.3

/** Amplitude pattern of a dipole in a direction whose cosine with the axis is `cos`: 1 broadside, `axialAmplitude` along it. */
export const dipolePattern = (cos: number): number =>
  Math.sqrt(Math.max(0, 1 - (1 - axialAmplitude * axialAmplitude) * cos * cos))
