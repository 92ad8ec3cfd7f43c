/**
 * Occupancy: person count, presence, and breathing of a person alone.
 *
 * Count and presence are judged in every hop; false persons in hops with an empty room, as minutes of false persons per day of
 * emptiness; breathing in hops with one person who neither walks nor falls, and false rates in hops with an empty room.
 */
import { type Figure, ratio } from "./figure.ts"
import type { SequenceRecord } from "./record.ts"

/** Largest count with its own row and column in the confusion; the last row and column include larger counts. */
export const countsMax = 5

export interface OccupancyTally {
  /** [true count][estimated count], hops */
  readonly counts: Float64Array
  /** [hops, sum of the count's absolute error, empty hops, persons estimated in them] */
  readonly occupancy: Float64Array
  /** [true positives, false positives, false negatives, hops with an answer, empty hops with an answer] */
  readonly presence: Float64Array
  /** [judged hops, judged hops with an answer, sum of absolute errors per minute, empty hops with an answer] */
  readonly breathing: Float64Array
}

export const emptyOccupancyTally = (): OccupancyTally => ({
  counts: new Float64Array((countsMax + 1) ** 2),
  occupancy: new Float64Array(4),
  presence: new Float64Array(5),
  breathing: new Float64Array(4),
})

/** Counts a whole sequence. */
export const addOccupancy = (
  { breathing, counts, occupancy, presence }: OccupancyTally,
  { hops }: SequenceRecord,
): void => {
  for (const { estimate, truth } of hops) {
    const [actual, estimated] = [truth.length, estimate.persons.length]
    counts[Math.min(countsMax, actual) * (countsMax + 1) + Math.min(countsMax, estimated)]!++
    occupancy[0]!++
    occupancy[1]! += Math.abs(actual - estimated)
    if (actual === 0) {
      occupancy[2]!++
      occupancy[3]! += estimated
      if (estimate.breathingBpm !== null) breathing[3]!++
    }
    if (estimate.present !== null) {
      presence[3]!++
      if (actual === 0) presence[4]!++
      if (estimate.present && actual > 0) presence[0]!++
      if (estimate.present && actual === 0) presence[1]!++
      if (!estimate.present && actual > 0) presence[2]!++
    }
    const [person] = truth
    const asks = actual === 1 && person!.activity !== "walking" && person!.activity !== "falling"
    if (!asks || person!.breathingBpm === null) continue
    breathing[0]!++
    if (estimate.breathingBpm === null) continue
    breathing[1]!++
    breathing[2]! += Math.abs(estimate.breathingBpm - person!.breathingBpm)
  }
}

export const occupancyFigures = (
  { breathing, counts, occupancy, presence }: OccupancyTally,
): Readonly<Record<string, Figure>> => {
  const [hops, countError, emptyHops, falsePersons] = occupancy
  const noTime = "No time was simulated."
  const neverEmpty = "The room was never empty in these sequences."
  let exact = 0
  for (let i = 0; i <= countsMax; i++) exact += counts[i * (countsMax + 2)]!
  const [right, wrong, missed, answered, answeredEmpty] = presence
  const neverAsked = "No person was present while there was an answer."
  const nobodyAsked = "No person was alone and still in these sequences."
  return {
    count_exact_percent: ratio(exact, hops!, noTime, 100),
    count_mae: ratio(countError!, hops!, noTime),
    false_person_minutes_per_day: ratio(falsePersons!, emptyHops!, neverEmpty, 1440),
    presence_f1: ratio(2 * right!, right! + missed! > 0 ? 2 * right! + wrong! + missed! : 0, neverAsked),
    presence_false_percent: ratio(wrong!, answeredEmpty!, "The room was never empty while there was an answer.", 100),
    presence_coverage_percent: ratio(answered!, hops!, noTime, 100),
    breathing_mae_bpm: ratio(breathing[2]!, breathing[1]!, breathing[0] === 0 ? nobodyAsked : "No rate was answered."),
    breathing_coverage_percent: ratio(breathing[1]!, breathing[0]!, nobodyAsked, 100),
    breathing_false_percent: ratio(breathing[3]!, emptyHops!, neverEmpty, 100),
  }
}
