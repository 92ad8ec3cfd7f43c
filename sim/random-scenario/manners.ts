/**
 * Random manners: gaits of real people and habits of their limbs.
 *
 * Ranges of healthy adults in captured walks: gait cycles of 1.0 to 1.15 s at 1 m/s, a speed of the trunk that varies by 0.13 to
 * 0.24 of its mean, hips that sway 24 to 40 mm (rms). Shares of the groups are our own choice.
 */
import { type LimbHabits, regularLimbs } from "../bodies/limb-habits.ts"
import { type Gait, regularGait } from "../people/gait.ts"
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Person } from "../scenario/persons.ts"
import { chance, drawOne, rounded } from "./draws.ts"

const childShare = 0.12
const shufflingShare = 0.1
const limpingShare = 0.1

/** A gait of a person with healthy legs. */
const drawGait = (random: Random): Gait => ({
  cycleShare: rounded(uniformIn(random, 0.77, 0.93)),
  surgeM: rounded(uniformIn(random, 0.014, 0.024)),
  swayM: rounded(uniformIn(random, 0.03, 0.056)),
  speedVariation: rounded(uniformIn(random, 0.05, 0.12)),
  delayShare: rounded(uniformIn(random, -0.02, 0.02)),
  stepBias: rounded(uniformIn(random, -0.06, 0.06)),
  liftShare: rounded(uniformIn(random, 0.7, 1.2), 2),
  lurchRad: 0,
  armShares: [rounded(uniformIn(random, 0.4, 1.4), 2), rounded(uniformIn(random, 0.4, 1.4), 2)],
  turnRateRadps: rounded(uniformIn(random, 2, 4.5), 2),
})

/** Short steps with feet that hardly leave the floor, at under half of the speed. */
const shuffling = (gait: Gait, random: Random): Gait => ({
  ...gait,
  cycleShare: rounded(uniformIn(random, 0.5, 0.7)),
  liftShare: rounded(uniformIn(random, 0.1, 0.35), 2),
  armShares: [rounded(uniformIn(random, 0, 0.6), 2), rounded(uniformIn(random, 0, 0.6), 2)],
  turnRateRadps: rounded(uniformIn(random, 1.2, 2), 2),
})

/** One leg bears the body for a shorter time, and the trunk leans over it. */
const limping = (gait: Gait, random: Random): Gait => {
  const side = chance(random, 0.5) ? 1 : -1
  return {
    ...gait,
    delayShare: rounded(side * uniformIn(random, 0.04, 0.09)),
    stepBias: rounded(side * uniformIn(random, 0.1, 0.3)),
    lurchRad: rounded(side * uniformIn(random, 0.03, 0.14)),
  }
}

const drawChild = (person: Person, random: Random): Person => {
  const heightM = rounded(uniformIn(random, 0.95, 1.45), 2)
  return {
    ...person,
    heightM,
    girth: rounded(uniformIn(random, 0.8, 1.1), 2),
    walkingSpeedMps: rounded(uniformIn(random, 0.5, 0.8 + 0.4 * heightM), 2),
    breathing: { ...person.breathing, ratePerMinute: rounded(uniformIn(random, 16, 30), 1) },
    heart: { ...person.heart, ratePerMinute: rounded(uniformIn(random, 75, 120), 0) },
  }
}

const varied = (person: Person, random: Random): Person => {
  const gait = drawGait(random)
  const group = random.uniform()
  const slow = { ...person, walkingSpeedMps: rounded(uniformIn(random, 0.3, 0.7), 2) }
  if (group < childShare) return { ...drawChild(person, random), manner: { gait, limbs: regularLimbs } }
  if (group < childShare + shufflingShare) {
    return { ...slow, manner: { gait: shuffling(gait, random), limbs: regularLimbs } }
  }
  if (group < childShare + shufflingShare + limpingShare) {
    return { ...slow, manner: { gait: limping(gait, random), limbs: regularLimbs } }
  }
  return {
    ...person,
    walkingSpeedMps: rounded(uniformIn(random, 0.6, 1.45), 2),
    manner: { gait, limbs: regularLimbs },
  }
}

/** A person with a manner: one of real people if varied, and one of the given habits. Regular persons with usual limbs have none. */
export const mannered = (
  person: Person,
  isVaried: boolean,
  habits: ReadonlyArray<LimbHabits>,
  random: Random,
): Person => {
  const limbs = drawOne(random, habits)
  const moved = isVaried ? varied(person, random) : person
  if (moved.manner === undefined && limbs.arms === "usual" && limbs.legs === "usual") return moved
  return { ...moved, manner: { gait: moved.manner?.gait ?? regularGait, limbs } }
}
