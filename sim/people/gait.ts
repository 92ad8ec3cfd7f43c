/**
 * How one person walks: the regular gait of Boulic, Thalmann and Thalmann 1990, and departures from it.
 *
 * Owns the parameters of a gait, as data. Boundary: `walk.ts` sets feet and trunk by them; `sim/random-scenario/manners.ts` draws
 * those of real people.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import { type Physique, standingHipM } from "../bodies/physique.ts"

/** A gait relative to the regular one. */
export interface Gait {
  /** Length of a gait cycle, relative to Boulic's at the same speed: below 1 the steps are shorter and more frequent. */
  readonly cycleShare: number
  /** Amplitude by which the trunk surges ahead in each step at full stride, metres. */
  readonly surgeM: number
  /** Amplitude of the hips to each side, metres. */
  readonly swayM: number
  /** Relative standard deviation of the slow changes of speed. */
  readonly speedVariation: number
  /** By how much of a cycle the right foot touches down late. */
  readonly delayShare: number
  /** By which share the steps of the left foot are longer, and those of the right foot shorter. */
  readonly stepBias: number
  /** Lift of a foot and roll over it, relative to the regular one: 0.2 is shuffling. */
  readonly liftShare: number
  /** Lean of the trunk over the left leg while it bears the body, radians. */
  readonly lurchRad: number
  /** Swing of each arm, relative to the person's own. */
  readonly armShares: readonly [left: number, right: number]
  /** Highest turn rate on a route, radians per second. */
  readonly turnRateRadps: number
}

export const regularGait: Gait = {
  cycleShare: 1,
  surgeM: 0.012,
  swayM: 0.018,
  speedVariation: 0,
  delayShare: 0,
  stepBias: 0,
  liftShare: 1,
  lurchRad: 0,
  armShares: [1, 1],
  turnRateRadps: 2.6,
}

/** How one person walks. */
export interface GaitStyle extends Gait {
  readonly speedMps: number
  /** Amplitude of an upper arm at 1.2 m/s, radians. */
  readonly armSwingRad: number
}

export const drawGaitStyle = (speedMps: number, gait: Gait, random: Random): GaitStyle => ({
  ...gait,
  speedMps,
  armSwingRad: uniformIn(random, 0.35, 0.6),
})

/** Length of a gait cycle of the regular gait: 1.346 sqrt(speed in hip heights) hip heights. */
export const cycleLengthM = (physique: Physique, speedMps: number): number => {
  const hip = standingHipM(physique)
  return 1.346 * hip * Math.sqrt(Math.max(0, speedMps) / hip)
}

/** Frequencies of the slow changes of speed, Hz. */
const wanderHz = [0.23, 0.57] as const

/** A slow change around 0 with the given standard deviation, over time; draws nothing when it is 0. */
export const drawWander = (sigma: number, random: Random): (timeS: number) => number => {
  if (sigma === 0) return () => 0
  const phases = wanderHz.map(() => uniformIn(random, 0, 2 * Math.PI))
  return (timeS) => sigma * wanderHz.reduce((sum, hz, i) => sum + Math.sin(2 * Math.PI * hz * timeS + phases[i]!), 0)
}
