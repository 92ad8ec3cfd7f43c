/**
 * Activity: the estimated against the true activities of matched persons.
 *
 * Macro-F1 is the mean of F1 over those of the five activities that occurred. "unknown" counts as a miss of the true activity and
 * as a false alarm of none.
 */
import { type Figure, noMatches, ratio } from "./figure.ts"
import { activities, type EstimatedPerson, type TruePerson } from "./record.ts"

/** Columns of the confusion: the activities, then "unknown". */
const columns = activities.length + 1

export interface ActivityTally {
  /** [true activity][estimated activity, last unknown], persons of all hops */
  readonly confusion: Float64Array
}

export const emptyActivityTally = (): ActivityTally => ({ confusion: new Float64Array(activities.length * columns) })

/** Counts a matched person. */
export const addActivity = ({ confusion }: ActivityTally, truth: TruePerson, estimate: EstimatedPerson): void => {
  const predicted = estimate.activity === "unknown" ? activities.length : activities.indexOf(estimate.activity)
  confusion[activities.indexOf(truth.activity) * columns + predicted]!++
}

export const activityFigures = ({ confusion }: ActivityTally): Readonly<Record<string, Figure>> => {
  const scores = activities.flatMap((_, activity) => {
    const actual = confusion.subarray(activity * columns, (activity + 1) * columns).reduce((sum, n) => sum + n, 0)
    const predicted = activities.reduce((sum, _, row) => sum + confusion[row * columns + activity]!, 0)
    return actual > 0 ? [2 * confusion[activity * columns + activity]! / (actual + predicted)] : []
  })
  return { activity_macro_f1: ratio(scores.reduce((sum, score) => sum + score, 0), scores.length, noMatches) }
}
