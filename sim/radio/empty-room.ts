/**
 * The empty room: every path from one node to another without movers.
 *
 * Line of sight lambda / (4 pi d), reflections of up to two bounces (images times reflection coefficients), echoes of furniture
 * by the bistatic radar equation, and a diffuse tail with an exponential power delay profile. The power of the tail sets the K
 * factor of the link, its decay the delay spread. Boundary: random draws come in `PairDraws`; the sum over tones is in `field.ts`.
 *
 * Invariant: reciprocity; swapping the nodes gives the same gains and lengths at the middles of the arrays.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { speedOfLightMps } from "../../core/math/speed-of-light.ts"
import { direction, distanceM, pointAlong } from "../rooms/points.ts"
import { bounceOrders, imageIn, type RoomDescription } from "../rooms/room.ts"
import { beyondBreakpoint, type PairDraws, type RoomAir } from "./air.ts"
import { dipolePattern, type NodeAntennas } from "./antenna.ts"
import { type Mirror, writeReflection } from "./reflection.ts"

/** Data shared by all links of a room. */
export interface RadioRoom {
  readonly room: RoomDescription
  readonly air: RoomAir
  readonly mirrors: ReadonlyArray<Mirror>
  readonly wavelengthM: number
}

/** One path at the receiver: a wave from the apparent `source`, after a length of `beforeM` to that source. */
export interface Path {
  readonly kind: "line of sight" | "reflection" | "double reflection" | "furniture" | "diffuse"
  readonly source: Vector3
  readonly beforeM: number
  /** From the middle of the transmitting array to the middle of the receiving one. */
  readonly lengthM: number
  /** Complex gain without the propagation phase. */
  readonly re: number
  readonly im: number
}

const patternTowards = ({ dipole, polarisation }: NodeAntennas, k: Vector3): number =>
  polarisation * dipolePattern(dipole[0] * k[0] + dipole[1] * k[1] + dipole[2] * k[2])

/** Amplitude of a bistatic echo: sqrt(rcs) lambda / ((4 pi)^{3/2} d1 d2). */
const echoAmplitude = (rcsM2: number, wavelengthM: number, d1M: number, d2M: number): number =>
  (Math.sqrt(rcsM2) * wavelengthM) / ((4 * Math.PI) ** 1.5 * d1M * d2M)

/** Line of sight and reflections, in the order of `bounceOrders`: the line of sight, one for each surface, then the rest. */
const mirroredPaths = (
  { air, mirrors, wavelengthM }: RadioRoom,
  transmitter: NodeAntennas,
  receiver: NodeAntennas,
): ReadonlyArray<Path> => {
  const coefficient = new Float64Array(2)
  return bounceOrders.map((bounces): Path => {
    let source = transmitter.position
    for (const bounce of bounces) source = imageIn(mirrors[bounce]!.surface, source)
    const lengthM = distanceM(source, receiver.position)
    const k = direction(source, receiver.position)
    // Direction at the transmitter, which the mirrors turn into k.
    const departure: [number, number, number] = [...k]
    let re = 1
    let im = 0
    for (const bounce of bounces) {
      const mirror = mirrors[bounce]!
      departure[mirror.surface.axis] *= -1
      writeReflection(mirror, ...k, coefficient)
      const product = re * coefficient[0]! - im * coefficient[1]!
      im = re * coefficient[1]! + im * coefficient[0]!
      re = product
    }
    const amplitude = (wavelengthM / (4 * Math.PI * lengthM)) * beyondBreakpoint(lengthM, air.breakpointM) *
      patternTowards(transmitter, departure) * patternTowards(receiver, k)
    const kind = bounces.length === 0 ? "line of sight" : bounces.length === 1 ? "reflection" : "double reflection"
    return { kind, source, beforeM: 0, lengthM, re: re * amplitude, im: im * amplitude }
  })
}

/** Smallest distance of a piece of furniture in the echo formula: furniture is about as large as this. */
const furnitureDistanceMinM = 0.5

const furniturePaths = (
  { air, room, wavelengthM }: RadioRoom,
  transmitter: NodeAntennas,
  receiver: NodeAntennas,
  phasesRad: ReadonlyArray<number>,
): ReadonlyArray<Path> =>
  room.furniture.map(({ position, rcsM2 }, i): Path => {
    const d1 = distanceM(transmitter.position, position)
    const d2 = distanceM(position, receiver.position)
    const far = (d: number): number => Math.max(furnitureDistanceMinM, d)
    const amplitude = echoAmplitude(rcsM2, wavelengthM, far(d1), far(d2)) *
      beyondBreakpoint(d1, air.breakpointM) * beyondBreakpoint(d2, air.breakpointM) *
      patternTowards(transmitter, direction(transmitter.position, position)) *
      patternTowards(receiver, direction(receiver.position, position))
    return {
      kind: "furniture",
      source: position,
      beforeM: d1,
      lengthM: d1 + d2,
      re: amplitude * Math.cos(phasesRad[i]!),
      im: amplitude * Math.sin(phasesRad[i]!),
    }
  })

/** Smallest power of the tail relative to the line of sight: every room has a tail. */
const tailShareMin = 0.05
const decayNs = { min: 8, max: 110 }

const powerOf = ({ im, re }: Path): number => re * re + im * im

/**
 * Decay time that gives all paths together the requested rms delay spread: with the tail's power T and its moments m1, m2 in decay
 * times, and the others' P, M1, M2, the squared spread (M2 + T m2 D^2) / S - ((M1 + T m1 D) / S)^2, S = P + T, is quadratic in D.
 */
const decayFor = (paths: ReadonlyArray<Path>, power: number, tail: PairDraws["tail"], wantedNs: number): number => {
  const first = paths[0]!.lengthM
  const excessNs = (path: Path): number => ((path.lengthM - first) / speedOfLightMps) * 1e9
  const sum = power + paths.reduce((total, path) => total + powerOf(path), 0)
  const m1 = paths.reduce((total, path) => total + powerOf(path) * excessNs(path), 0) / sum
  const m2 = paths.reduce((total, path) => total + powerOf(path) * excessNs(path) ** 2, 0) / sum
  const t1 = (power * tail.reduce((total, path) => total + path.power * path.decays, 0)) / sum
  const t2 = (power * tail.reduce((total, path) => total + path.power * path.decays ** 2, 0)) / sum
  const a = t2 - t1 * t1
  const b = -2 * m1 * t1
  const c = m2 - m1 * m1 - wantedNs * wantedNs
  const under = b * b - 4 * a * c
  const decay = under > 0 ? (Math.sqrt(under) - b) / (2 * a) : 0
  return Math.min(decayNs.max, Math.max(decayNs.min, decay))
}

const diffusePaths = (
  others: ReadonlyArray<Path>,
  receiver: NodeAntennas,
  draws: PairDraws,
  isHigher: boolean,
): ReadonlyArray<Path> => {
  if (draws.tail.length === 0) return []
  const direct = powerOf(others[0]!)
  const scattered = others.slice(1).reduce((total, path) => total + powerOf(path), 0)
  const power = Math.max(tailShareMin * direct, direct / 10 ** (draws.kFactorDb / 10) - scattered)
  const decay = decayFor(others, power, draws.tail, draws.delaySpreadNs)
  return draws.tail.map((path): Path => {
    const lengthM = others[0]!.lengthM + path.decays * decay * 1e-9 * speedOfLightMps
    const arrival = path.directions[isHigher ? 1 : 0]
    const amplitude = Math.sqrt(path.power * power)
    return {
      kind: "diffuse",
      source: pointAlong(receiver.position, arrival, lengthM),
      beforeM: 0,
      lengthM,
      re: amplitude * Math.cos(path.phaseRad),
      im: amplitude * Math.sin(path.phaseRad),
    }
  })
}

/**
 * All paths of an empty room from one node to another; the first seven are the line of sight and the reflections at each surface.
 * `receiverIsHigher` selects the receiver's end of the pair's draws.
 */
export const emptyPaths = (
  radioRoom: RadioRoom,
  transmitter: NodeAntennas,
  receiver: NodeAntennas,
  draws: PairDraws,
  receiverIsHigher: boolean,
): ReadonlyArray<Path> => {
  const definite = [
    ...mirroredPaths(radioRoom, transmitter, receiver),
    ...furniturePaths(radioRoom, transmitter, receiver, draws.furniturePhasesRad),
  ]
  return [...definite, ...diffusePaths(definite, receiver, draws, receiverIsHigher)]
}
