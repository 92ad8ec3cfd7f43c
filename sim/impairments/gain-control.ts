/**
 * Gain control: the level of the peak of a link's frames on the scale of the converter.
 *
 * For each transmitter the control settles between a low and a full scale and moves in steps at random times, always within that
 * range. It may also follow the received level in steps, as the control of a real receiver does.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Impairments } from "./impairments.ts"

/** Level of the peak as a fraction of full scale at `timeS`; times never decrease. */
export type GainControl = (timeS: number) => number

/** Smallest step as a fraction of the largest one. */
const leastStep = 1 / 6

export const createGainControl = (impairments: Impairments, random: Random): GainControl => {
  const { fullScale, gainStepDb, gainStepSeconds } = impairments
  const lowDb = 20 * Math.log10(fullScale[0])
  const highDb = 20 * Math.log10(fullScale[1])
  let levelDb = uniformIn(random, lowDb, highDb)
  let nextStepS = 0
  const wait = (): number => 0.05 - gainStepSeconds * Math.log(1 - random.uniform())
  return (timeS) => {
    if (nextStepS === 0) nextStepS = timeS + wait()
    while (timeS >= nextStepS) {
      const stepDb = (random.uniform() < 0.5 ? -1 : 1) * uniformIn(random, leastStep, 1) * gainStepDb
      const inside = levelDb + stepDb >= lowDb && levelDb + stepDb <= highDb
      levelDb = Math.min(highDb, Math.max(lowDb, inside ? levelDb + stepDb : levelDb - stepDb))
      nextStepS += wait()
    }
    return 10 ** (levelDb / 20)
  }
}

/**
 * Factor that takes whole steps of `stepDb` out of a level whose power is `ratio` times that of the empty room; 1 for a control that
 * does not follow (`stepDb` 0).
 */
export const followedGain = (ratio: number, stepDb: number): number =>
  stepDb === 0 ? 1 : 10 ** ((-stepDb * Math.round((10 * Math.log10(ratio)) / stepDb)) / 20)
