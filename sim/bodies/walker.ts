/**
 * A walker: one body that walks between random way points of a room and pauses at them.
 *
 * Owns where a body is at each moment. Steps are 10 ms whatever the packet times are, so that radio settings never
 * change the walk. Boundary: joints are in `gait.ts`.
 *
 * Invariants: the body stays `marginM` inside the walls; time never goes back.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { type Random, uniformIn } from "../random.ts"
import { cycleRateHz, type GaitState } from "./gait.ts"

export interface WalkerOptions {
  readonly heightM: number
  readonly walkingSpeedMps: number
  /** Shortest and longest pause at a way point, seconds. */
  readonly pauseS: readonly [number, number]
}

export interface Walker {
  /** State at `timeS` after the body came in; ask with times that do not decrease. */
  readonly at: (timeS: number) => GaitState
}

const stepS = 0.01
const marginM = 0.6
const accelerationMps2 = 1.5
const turnRateRadps = 2.5

/** Chest displacement by breathing: 6 mm at 0.25 Hz, the middle of what adults at rest show. */
const breath = (timeS: number): number => 0.006 * Math.sin(2 * Math.PI * 0.25 * timeS)

const wrapAngle = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))

const wayPoint = (room: Vector3, random: Random): readonly [number, number] => [
  uniformIn(random, marginM, room[0] - marginM),
  uniformIn(random, marginM, room[1] - marginM),
]

/** A walker that comes in beside a wall at time 0. */
export const createWalker = (room: Vector3, options: WalkerOptions, random: Random): Walker => {
  const entry = wayPoint(room, random)
  let x = marginM
  let y = entry[1]
  let headingRad = 0
  let speedMps = 0
  let phaseRad = uniformIn(random, 0, 2 * Math.PI)
  let target = wayPoint(room, random)
  let pauseLeftS = 0
  let steps = 0

  const step = (): void => {
    const dx = target[0] - x
    const dy = target[1] - y
    const distance = Math.hypot(dx, dy)
    const error = wrapAngle(Math.atan2(dy, dx) - headingRad)
    const brakingM = (speedMps * speedMps) / (2 * accelerationMps2) + 0.1
    const wanted = pauseLeftS > 0 || distance < brakingM ? 0 : options.walkingSpeedMps * Math.max(0, Math.cos(error))
    const change = accelerationMps2 * stepS
    speedMps += Math.max(-change, Math.min(change, wanted - speedMps))
    if (pauseLeftS > 0) {
      pauseLeftS -= stepS
    } else if (distance < brakingM && speedMps < 0.02) {
      speedMps = 0
      pauseLeftS = uniformIn(random, options.pauseS[0], options.pauseS[1])
      target = wayPoint(room, random)
    } else {
      const turn = turnRateRadps * stepS
      headingRad = wrapAngle(headingRad + Math.max(-turn, Math.min(turn, error)))
    }
    x = Math.max(marginM, Math.min(room[0] - marginM, x + Math.cos(headingRad) * speedMps * stepS))
    y = Math.max(marginM, Math.min(room[1] - marginM, y + Math.sin(headingRad) * speedMps * stepS))
    phaseRad += 2 * Math.PI * cycleRateHz(options.heightM, speedMps) * stepS
    steps++
  }

  const at = (timeS: number): GaitState => {
    while ((steps + 1) * stepS <= timeS) step()
    // Between two steps the body moves on in a straight line.
    const restS = timeS - steps * stepS
    return {
      x: x + Math.cos(headingRad) * speedMps * restS,
      y: y + Math.sin(headingRad) * speedMps * restS,
      headingRad,
      speedMps,
      phaseRad: phaseRad + 2 * Math.PI * cycleRateHz(options.heightM, speedMps) * restS,
      breathM: breath(timeS),
    }
  }
  return { at }
}
