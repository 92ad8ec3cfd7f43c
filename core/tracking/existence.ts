/**
 * Existence: the probability that a track is a person.
 *
 * A Bayes filter over hops with and without a detection. The rates are those of simulated rooms in which nothing but
 * persons moves, so a pet, a fan or a neighbour behind a thin wall is not accounted for.
 */

/** Share of hops in which a person in the room is detected, averaged over walking and pausing. */
const detectionRate = 0.85

/** Share of hops in which something is detected in the gate of a track that is nobody: 0 of 3000 were, with margin. */
const falseAlarmRate = 0.01

/** Probability that a first detection is a person. */
export const initialExistence = 0.5

/** Windows of ten hops overlap, so one hop weighs a tenth of an independent observation. */
const weight = 0.1

/** No count of hops makes certain: what the rates leave out stays possible. */
const certainty = 0.99

/** The probability after one more hop. */
export const updateExistence = (probability: number, detected: boolean): number => {
  const ratio = detected ? detectionRate / falseAlarmRate : (1 - detectionRate) / (1 - falseAlarmRate)
  const odds = (probability / (1 - probability)) * ratio ** weight
  return Math.min(certainty, odds / (1 + odds))
}
