/**
 * The swing of a person's estimated legs, and whether it is that of the walk.
 *
 * An estimate is a mean over the possible poses. If the phase of the steps is not observable, they partly average out, and the estimated
 * legs swing less than the speed requires. So a sufficient swing is evidence of the legs, independent of the evidence that the network
 * states: on persons and radios outside its training, the network may be sure of legs that it draws out of step, but their swing is small.
 * Boundary: `evidence.ts` decides what is drawn; `sim/training/posture.py` mirrors this file.
 */
import { ramp } from "./ramp.ts"

/** Recursive means over two seconds, two steps of a walker. */
export interface LegSwing {
  /** One ankle ahead of the other along the front of the body, metres, and its square. */
  readonly aheadM: number
  readonly squareM2: number
  readonly speedMps: number
}

/** Share of a hop in the means. */
export const swingShare = 0.05

/** The means after a hop; the first hop begins them. */
export const followSwing = (before: LegSwing | null, aheadM: number, speedMps: number): LegSwing => {
  const last = before ?? { aheadM, squareM2: aheadM ** 2, speedMps }
  return {
    aheadM: last.aheadM + swingShare * (aheadM - last.aheadM),
    squareM2: last.squareM2 + swingShare * (aheadM ** 2 - last.squareM2),
    speedMps: last.speedMps + swingShare * (speedMps - last.speedMps),
  }
}

/** Speeds between which a person begins to walk. */
const walkingMps = [0.25, 0.35] as const
/** Slower persons require the swing of this speed. */
const speedMinMps = 0.05
/**
 * Standard deviation of the distance of the ankles at a speed of 1 m/s, metres. It grows with the root of the speed: the ratio of step
 * length to cadence is nearly constant, 0.0065 m per step and minute in adults (Sekiya and Nagasaki 1998), so a step is 0.62 m at 1 m/s,
 * and the ankles swing by it, nearly as a sine.
 */
const swingM = 0.44

/** Degree to which a person walks by the speed, 0..1. */
export const walksOf = ({ speedMps }: LegSwing): number => ramp(speedMps, walkingMps)

/** Swing of the legs as a share of the swing that the walk requires. An estimate whose correlation with the truth is r swings by r. */
export const swingOf = ({ aheadM, speedMps, squareM2 }: LegSwing): number =>
  Math.sqrt(Math.max(0, squareM2 - aheadM ** 2)) / (swingM * Math.sqrt(Math.max(speedMinMps, speedMps)))
