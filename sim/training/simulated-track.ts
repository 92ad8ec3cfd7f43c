/**
 * A simulated track: what a tracker would know of a person, made from the truth by errors of the kind that trackers make.
 *
 * The network learns from many scenes without the cost of imaging each, and from tracks that are worse than today's tracker. Owns the
 * errors: a slowly wandering offset, a velocity that lags and is noisy, and a spread that is only about right.
 */
import type { TrackedPerson } from "../../core/pose/person-input.ts"
import { type Random, uniformIn } from "../random.ts"

/** How long an error of the place lasts, seconds. */
const wanderS = 1.2
/** Range of the place's standard deviation per axis, metres: drawn evenly in the logarithm, once a person. */
const sigmaRangeM = [0.05, 0.35] as const
/** Time constant of the velocity estimate, and its noise. */
const lagRangeS = [0.2, 0.6] as const
const velocitySigmaMps = 0.12
/** A tracker holds who keeps still: such a share of the wandering and of the velocity's noise is left, all of it from `walkingMps` on. */
const stillShare = 0.2
const walkingMps = 0.5

export interface SimulatedTrack {
  /** The track `elapsedS` after the last one, of a person who is at (x, y). */
  readonly step: (x: number, y: number, elapsedS: number) => TrackedPerson
}

export const createSimulatedTrack = (random: Random): SimulatedTrack => {
  const sigmaM = Math.exp(uniformIn(random, Math.log(sigmaRangeM[0]), Math.log(sigmaRangeM[1])))
  const saidSigmaM = sigmaM * Math.exp(0.3 * random.normal())
  const lagS = uniformIn(random, ...lagRangeS)
  let offsetX = sigmaM * random.normal()
  let offsetY = sigmaM * random.normal()
  let noiseX = 0
  let noiseY = 0
  let velocityX = 0
  let velocityY = 0
  let last: readonly [x: number, y: number] | null = null
  let ageS = 0

  return {
    step: (x, y, elapsedS) => {
      const speedMps = last === null || elapsedS <= 0 ? 0 : Math.hypot(x - last[0], y - last[1]) / elapsedS
      const share = stillShare + (1 - stillShare) * Math.min(1, speedMps / walkingMps)
      const stay = Math.exp(-(share * elapsedS) / wanderS)
      const kick = Math.sqrt(1 - stay * stay)
      offsetX = stay * offsetX + kick * sigmaM * random.normal()
      offsetY = stay * offsetY + kick * sigmaM * random.normal()
      noiseX = stay * noiseX + kick * velocitySigmaMps * random.normal()
      noiseY = stay * noiseY + kick * velocitySigmaMps * random.normal()
      if (last !== null && elapsedS > 0) {
        const follow = 1 - Math.exp(-elapsedS / lagS)
        velocityX += follow * ((x - last[0]) / elapsedS - velocityX)
        velocityY += follow * ((y - last[1]) / elapsedS - velocityY)
      }
      last = [x, y]
      ageS += elapsedS
      return {
        x: x + offsetX,
        y: y + offsetY,
        velocityX: velocityX + share * noiseX,
        velocityY: velocityY + share * noiseY,
        sigmaM: saidSigmaM,
        ageS,
      }
    },
  }
}
