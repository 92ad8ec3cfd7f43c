/**
 * Air: the statistical part of the propagation in a room, which a box with six walls does not describe.
 *
 * Owns the ranges (diffuse tail, K factor, delay spread, clutter before the walls, breakpoint, tilt of antennas) and the draws from
 * them, once per room and once per pair of nodes. The ranges are those reported for homes and offices (802.11 model C for the
 * breakpoint).
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../randomness/random.ts"

type Range = readonly [low: number, high: number]

/** Source of a radio's random draws: one independent stream per name. */
export type Streams = (name: string) => Random

export interface Air {
  /** Paths of the diffuse tail of a link; [0, 0] for none. */
  readonly diffusePaths: Range
  /** Power of the line of sight over that of all other paths of a link. */
  readonly kFactorDb: Range
  /** Rms delay spread of the links of a room. */
  readonly delaySpreadNs: Range
  /** Share of a reflection's power that stays in the specular direction: objects before the walls scatter the rest. */
  readonly specularPower: Range
  /** Paths longer than this lose 35 dB per decade instead of 20. */
  readonly breakpointM: Range
  /** Tilt of an antenna from upright; each end loses amplitude by the cosine of its tilt: 0 to 6 dB per link. */
  readonly tiltRad: Range
}

export const indoorAir: Air = {
  diffusePaths: [20, 40],
  kFactorDb: [0.5, 9.5],
  delaySpreadNs: [17, 40],
  specularPower: [0.2, 0.6],
  breakpointM: [6, 10],
  tiltRad: [0, Math.PI / 4],
}

/** Draws per room. */
export interface RoomAir {
  readonly diffusePaths: number
  readonly delaySpreadNs: number
  readonly specularPower: number
  readonly breakpointM: number
}

export const drawRoomAir = (air: Air, random: Random): RoomAir => ({
  diffusePaths: Math.round(uniformIn(random, ...air.diffusePaths)),
  delaySpreadNs: uniformIn(random, ...air.delaySpreadNs),
  specularPower: uniformIn(random, ...air.specularPower),
  breakpointM: uniformIn(random, ...air.breakpointM),
})

/** One path of the tail, as both ends of a pair see it. */
interface DiffusePath {
  /** Share of the tail's power. */
  readonly power: number
  /** Delay after the line of sight, in decay times of the tail. */
  readonly decays: number
  readonly phaseRad: number
  /** Unit vectors from the nodes with the lower and the higher index towards the source of the path. */
  readonly directions: readonly [Vector3, Vector3]
}

/** Draws per unordered pair of nodes, so that both directions agree. */
export interface PairDraws {
  readonly kFactorDb: number
  readonly delaySpreadNs: number
  readonly furniturePhasesRad: ReadonlyArray<number>
  readonly tail: ReadonlyArray<DiffusePath>
}

/** A direction near the horizon: floor and ceiling return little power to upright antennas. */
const drawDirection = (random: Random): Vector3 => {
  const bearing = uniformIn(random, 0, 2 * Math.PI)
  const up = uniformIn(random, -0.5, 0.5)
  const flat = Math.sqrt(1 - up * up)
  return [flat * Math.cos(bearing), flat * Math.sin(bearing), up]
}

/** Paths with exponentially distributed delays, each with an exponential power of its own (a Rayleigh amplitude). */
const drawTail = (count: number, random: Random): ReadonlyArray<DiffusePath> => {
  const drawn = Array.from({ length: count }, (_, i) => ({
    power: -Math.log(1 - random.uniform()),
    decays: -Math.log(1 - (i + random.uniform()) / count),
    phaseRad: uniformIn(random, 0, 2 * Math.PI),
    directions: [drawDirection(random), drawDirection(random)] as const,
  }))
  const total = drawn.reduce((sum, { power }) => sum + power, 0)
  return drawn.map((path) => ({ ...path, power: path.power / total }))
}

export const drawPair = (air: Air, roomAir: RoomAir, furniture: number, random: Random): PairDraws => ({
  kFactorDb: uniformIn(random, ...air.kFactorDb),
  delaySpreadNs: roomAir.delaySpreadNs * uniformIn(random, 0.9, 1.1),
  furniturePhasesRad: Array.from({ length: furniture }, () => uniformIn(random, 0, 2 * Math.PI)),
  tail: drawTail(roomAir.diffusePaths, random),
})

/** Factor on the amplitude of a path of `lengthM` beyond the breakpoint: (breakpoint / length)^(3/4). */
export const beyondBreakpoint = (lengthM: number, breakpointM: number): number => {
  if (lengthM <= breakpointM) return 1
  const root = Math.sqrt(breakpointM / lengthM)
  return root * Math.sqrt(root)
}
