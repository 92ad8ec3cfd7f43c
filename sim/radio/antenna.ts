/**
 * Antennas of a node: positions of the elements and the pattern of a dipole.
 *
 * A node receives with a uniform linear array of elements half a wavelength apart and transmits from its middle, the phase
 * reference. All elements share one dipole axis, which may be tilted from upright.
 */
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Air } from "./air.ts"

export interface NodeAntennas {
  readonly position: Vector3
  /**
   * [element][xyz]: the receive antennas in order along the axis; with an even number of antennas, the middle of the array
   * follows.
   */
  readonly elements: Float64Array
  /** Index in `elements` of the middle, which transmits. */
  readonly middle: number
  /** Unit vector along the dipole. */
  readonly dipole: Vector3
  /** Amplitude factor of the tilt against vertically polarised waves, once per end. */
  readonly polarisation: number
}

/** Number of elements of a node with `antennas` receive antennas: the antennas, and their middle. */
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

/** Amplitude along the axis of a dipole, about -10 dB: real devices have no perfect null. */
const axialAmplitude = 0.3

/** Amplitude pattern of a dipole for the cosine `cos` between direction and axis: 1 broadside, `axialAmplitude` along the axis. */
export const dipolePattern = (cos: number): number =>
  Math.sqrt(Math.max(0, 1 - (1 - axialAmplitude * axialAmplitude) * cos * cos))
