/**
 * A link in a room: the paths from one node to another, without and with bodies.
 *
 * Owns the static response (line of sight, first reflections, furniture), the echo of a body segment, the echo by way
 * of a wall, and what a torso shadows. Boundary: no receiver hardware, see `sim/impairments`.
 *
 * Invariant: reciprocity; both directions of a pair of nodes share every random draw.
 */
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { chestIndex, scatterers } from "../bodies/gait.ts"
import { type Random, uniformIn } from "../random.ts"
import { type Furniture, imageIn, reflectionMagnitude, type RoomDescription, surfacesOf } from "../rooms/room.ts"
import { addPath, createField, type Field, type Path, speedOfLightMps, type Tones } from "./field.ts"

/** How one body looks to an unordered pair of nodes. */
export interface BodyDraws {
  /** Factor on a scatterer's amplitude: log-normal cross section, 0.5 Np of power. */
  readonly amplitudes: Float64Array
  readonly phasesRad: Float64Array
}

/** Random draws of an unordered pair of nodes. */
export interface PairDraws {
  readonly furniturePhasesRad: Float64Array
  readonly bodies: ReadonlyArray<BodyDraws>
}

export interface Link {
  readonly transmitter: Vector3
  readonly receiver: Vector3
  readonly arrayAxis: Vector3
  readonly draws: PairDraws
  /** Every path of the empty room. */
  readonly fixed: Field
  /** The line of sight alone, which a torso may shadow. */
  readonly lineOfSight: Field
  readonly walls: ReadonlyArray<Wall>
}

interface Wall {
  readonly surface: ReturnType<typeof surfacesOf>[number]
  readonly transmitterImage: Vector3
  readonly receiverImage: Vector3
}

const distance = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

const cosAlong = (axis: Vector3, from: Vector3, to: Vector3): number =>
  (axis[0] * (to[0] - from[0]) + axis[1] * (to[1] - from[1]) + axis[2] * (to[2] - from[2])) / distance(from, to)

export const drawPair = (random: Random, furniture: number, bodies: number): PairDraws => {
  const phases = (count: number): Float64Array =>
    Float64Array.from({ length: count }, () => uniformIn(random, 0, 2 * Math.PI))
  return {
    furniturePhasesRad: phases(furniture),
    bodies: Array.from({ length: bodies }, () => ({
      amplitudes: Float64Array.from(scatterers, () => Math.exp(0.25 * random.normal())),
      phasesRad: phases(scatterers.length),
    })),
  }
}

/**
 * Amplitude of a bistatic echo of cross section `rcsM2` at distances d1 and d2 from the nodes:
 * sqrt(rcs) lambda / ((4 pi)^{3/2} d1 d2).
 */
export const echoAmplitude = (rcsM2: number, wavelengthM: number, d1M: number, d2M: number): number =>
  (Math.sqrt(rcsM2) * wavelengthM) / ((4 * Math.PI) ** 1.5 * d1M * d2M)

/** Line of sight and the six first reflections, with the echoes of furniture: everything of an empty room. */
const fixedPaths = (
  room: RoomDescription,
  furniture: ReadonlyArray<Furniture>,
  tones: Tones,
  ends: { readonly transmitter: Vector3; readonly receiver: Vector3; readonly arrayAxis: Vector3 },
  draws: PairDraws,
): ReadonlyArray<Path> => {
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const { transmitter, receiver, arrayAxis } = ends
  const straight = (source: Vector3, gain: number): Path => {
    const lengthM = distance(source, receiver)
    return {
      amplitude: (gain * wavelengthM) / (4 * Math.PI * lengthM),
      lengthM,
      phaseRad: gain < 0 ? Math.PI : 0,
      cosArrival: cosAlong(arrayAxis, receiver, source),
    }
  }
  const reflections = surfacesOf(room).map((surface): Path => {
    const image = imageIn(surface, transmitter)
    const cosIncidence = Math.abs(image[surface.axis] - receiver[surface.axis]) / distance(image, receiver)
    const path = straight(image, reflectionMagnitude(surface.material, cosIncidence, tones.centerFrequencyHz))
    return { ...path, phaseRad: Math.PI }
  })
  const echoes = furniture.map(({ position, rcsM2 }, i): Path => {
    const d1 = distance(transmitter, position)
    const d2 = distance(position, receiver)
    return {
      amplitude: echoAmplitude(rcsM2, wavelengthM, d1, d2),
      lengthM: d1 + d2,
      phaseRad: draws.furniturePhasesRad[i]!,
      cosArrival: cosAlong(arrayAxis, receiver, position),
    }
  })
  return [straight(transmitter, 1), ...reflections, ...echoes]
}

export const createLink = (
  room: RoomDescription,
  furniture: ReadonlyArray<Furniture>,
  tones: Tones,
  antennas: number,
  ends: { readonly transmitter: RadioNode; readonly receiver: RadioNode },
  draws: PairDraws,
): Link => {
  const transmitter = ends.transmitter.position
  const receiver = ends.receiver.position
  const arrayAxis = ends.receiver.arrayAxis
  const paths = fixedPaths(room, furniture, tones, { transmitter, receiver, arrayAxis }, draws)
  const fixed = createField(tones, antennas)
  for (const path of paths) addPath(fixed, tones, path)
  const lineOfSight = createField(tones, antennas)
  addPath(lineOfSight, tones, paths[0]!)
  const walls = surfacesOf(room).filter(({ axis }) => axis !== 2).map((surface) => ({
    surface,
    transmitterImage: imageIn(surface, transmitter),
    receiverImage: imageIn(surface, receiver),
  }))
  return { transmitter, receiver, arrayAxis, draws, fixed, lineOfSight, walls }
}

const pointAt = (points: Float64Array, index: number): Vector3 => [
  points[index * 3]!,
  points[index * 3 + 1]!,
  points[index * 3 + 2]!,
]

/** Adds the echoes of a body's scatterers at `points`, and the torso's echoes that also bounce off a wall (ghosts). */
export const addBody = (field: Field, tones: Tones, link: Link, body: number, points: Float64Array): void => {
  const draws = link.draws.bodies[body]!
  addEchoes(field, tones, link, draws, points)
  addGhosts(field, tones, link, draws, pointAt(points, chestIndex))
}

const addEchoes = (field: Field, tones: Tones, link: Link, draws: BodyDraws, points: Float64Array): void => {
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const { transmitter, receiver, arrayAxis } = link
  for (let s = 0; s < scatterers.length; s++) {
    const point = pointAt(points, s)
    const d1 = distance(transmitter, point)
    const d2 = distance(point, receiver)
    addPath(field, tones, {
      amplitude: draws.amplitudes[s]! * echoAmplitude(scatterers[s]!.rcsM2, wavelengthM, d1, d2),
      lengthM: d1 + d2,
      phaseRad: draws.phasesRad[s]!,
      cosArrival: cosAlong(arrayAxis, receiver, point),
    })
  }
}

const addGhosts = (field: Field, tones: Tones, link: Link, draws: BodyDraws, torso: Vector3): void => {
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const { transmitter, receiver, arrayAxis } = link
  const torsoRcsM2 = scatterers[chestIndex].rcsM2 + scatterers[chestIndex + 1]!.rcsM2
  const gain = draws.amplitudes[chestIndex]!
  for (const { surface, transmitterImage, receiverImage } of link.walls) {
    const ghost = (d1: number, d2: number, bounceM: number, across: number, source: Vector3): void => {
      const reflection = reflectionMagnitude(surface.material, across / bounceM, tones.centerFrequencyHz)
      addPath(field, tones, {
        amplitude: gain * reflection * echoAmplitude(torsoRcsM2, wavelengthM, d1, d2),
        lengthM: d1 + d2,
        phaseRad: draws.phasesRad[chestIndex]! + Math.PI,
        cosArrival: cosAlong(arrayAxis, receiver, source),
      })
    }
    const before = distance(transmitterImage, torso)
    const after = distance(receiverImage, torso)
    const { axis } = surface
    ghost(before, distance(torso, receiver), before, Math.abs(transmitterImage[axis] - torso[axis]), torso)
    const mirrored = imageIn(surface, torso)
    ghost(distance(transmitter, torso), after, after, Math.abs(receiverImage[axis] - torso[axis]), mirrored)
  }
}

const torsoHalfWidthM = 0.2

/**
 * Amplitude that is left of the line of sight beside a torso at `chest`: single knife edge of ITU-R P.526,
 * J = 6.9 + 20 log10(sqrt((v - 0.1)^2 + 1) + v - 0.1) dB for v > -0.78, v = h sqrt(2 (d1 + d2) / (lambda d1 d2)). `h`
 * is how far the nearer edge of the torso, or its top, reaches over the ray.
 */
export const shadowing = (link: Link, tones: Tones, chest: Vector3): number => {
  const { transmitter: t, receiver: r } = link
  const wavelengthM = speedOfLightMps / tones.centerFrequencyHz
  const rayX = r[0] - t[0]
  const rayY = r[1] - t[1]
  const flat = Math.hypot(rayX, rayY)
  const along = ((chest[0] - t[0]) * rayX + (chest[1] - t[1]) * rayY) / (flat * flat)
  if (!(along > 0 && along < 1)) return 1
  const aside = Math.abs((chest[0] - t[0]) * rayY - (chest[1] - t[1]) * rayX) / flat
  const rayUp = t[2] + along * (r[2] - t[2])
  const crownM = chest[2] + 0.45
  const reach = Math.min(torsoHalfWidthM - aside, crownM - rayUp)
  const whole = distance(t, r)
  const v = reach * Math.sqrt(2 / (wavelengthM * whole * along * (1 - along)))
  if (v <= -0.78) return 1
  const lossDb = 6.9 + 20 * Math.log10(Math.sqrt((v - 0.1) ** 2 + 1) + v - 0.1)
  return 10 ** (-Math.max(0, lossDb) / 20)
}
