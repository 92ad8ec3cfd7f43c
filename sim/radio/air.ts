/**
 * Air: what a box with six walls does not say about the propagation in a room.
 *
 * Owns the ranges of the statistical part (diffuse tail, K factor, delay spread, clutter before the walls, breakpoint, tilt of
 * antennas) and what is drawn from them, once a room and once a pair of nodes. The ranges are those reported for homes and
 * offices (802.11 model C for the breakpoint).
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../random.ts"

type Range = readonly [low: number, high: number]

/** Where a radio takes its random draws: one independent stream a name. */
export type Streams = (name: string) => Random

export interface Air {
  /** Paths of the diffuse tail of a link; [0, 0] for none. */
  readonly diffusePaths: Range
  /** Power of the line of sight over that of all other paths of a link. */
  readonly kFactorDb: Range
  /** Rms delay spread of the links of a room. */
  readonly delaySpreadNs: Range
  /** Share of a reflection's power that stays in the mirror's direction: what stands before walls scatters the rest. */
  readonly specularPower: Range
  /** Paths that are longer than this lose 35 dB a decade and not 20. */
  readonly breakpointM: Range
  /** How far from upright an antenna stands; its cosine is lost by polarisation at each end: 0 to 6 dB a link. */
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

/** What is drawn once a room. */
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
export interface DiffusePath {
  /** Share of the tail's power. */
  readonly power: number
  /** Delay after the line of sight, in decay times of the tail. */
  readonly decays: number
  readonly phaseRad: number
  /** Unit vectors from the node with the lower and the higher index to where the path comes from. */
  readonly directions: readonly [Vector3, Vector3]
}

/** What is drawn once for an unordered pair of nodes, so that both directions agree. */
export interface PairDraws {
  readonly kFactorDb: number
  readonly delaySpreadNs: number
  readonly furniturePhasesRad: ReadonlyArray<number>
  readonly tail: ReadonlyArray<DiffusePath>
}

/** A direction near the horizon: floor and ceiling send little back to upright antennas. */
const drawDirection = (random: Random): Vector3 => {
  const bearing = uniformIn(random, 0, 2 * Math.PI)
  const up = uniformIn(random, -0.5, 0.5)
  const flat = Math.sqrt(1 - up * up)
  return [flat * Math.cos(bearing), flat * Math.sin(bearing), up]
}

/** Exponentially many paths early and few late, each with an exponential power of its own (a Rayleigh amplitude). */
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
