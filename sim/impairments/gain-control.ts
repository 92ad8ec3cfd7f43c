/**
 * Gain control: where the peak of a link's frames lies on the converter's scale.
 *
 * For each transmitter the control settles somewhere between a low and a full scale and moves in steps at random times, never out
 * of that range.
 */
import { type Random, uniformIn } from "../random.ts"
import type { Impairments } from "./impairments.ts"

/** Level of the peak in parts of full scale at `timeS`; times do not decrease. */
export type GainControl = (timeS: number) => number

/** A step is no smaller than this part of the greatest one. */
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
