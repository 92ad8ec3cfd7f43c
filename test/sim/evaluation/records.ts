/** Records made by hand: skeletons in places, and hops of them. */
import { meanSkeleton } from "../../../core/pose/skeleton.ts"
import type {
  EstimatedPerson,
  HopEstimate,
  HopRecord,
  SequenceRecord,
  TrueActivity,
  TruePerson,
} from "../../../sim/evaluation/record.ts"
import { figuresOf, type Tally, tallyOf } from "../../../sim/evaluation/tally.ts"

/** The mean adult at a place, facing +x. */
export const standingAt = (x: number, y: number): Array<number> =>
  meanSkeleton.flatMap(([forward, aside, up]) => [x + forward, y + aside, up])

export const person = (id: number, x: number, y: number, activity: TrueActivity = "standing"): TruePerson => ({
  id,
  activity,
  keypoints: standingAt(x, y),
  breathingBpm: null,
})

export const estimated = (id: number, x: number, y: number, more: Partial<EstimatedPerson> = {}): EstimatedPerson => ({
  id,
  activity: "unknown",
  keypoints: standingAt(x, y),
  certainty: null,
  score: 0.9,
  ...more,
})

/** Hops of truths and estimates, from 0.1 s on. */
export const sequence = (
  hops: ReadonlyArray<
    { readonly truth: ReadonlyArray<TruePerson>; readonly said: ReadonlyArray<EstimatedPerson> } & Partial<HopEstimate>
  >,
  fallImpactsS: ReadonlyArray<number> = [],
): SequenceRecord => ({
  hops: hops.map(({ said, truth, ...more }, i): HopRecord => ({
    timeS: (i + 1) / 10,
    truth,
    estimate: { persons: said, fallAlarms: 0, present: null, breathingBpm: null, ...more },
  })),
  fallImpactsS,
})

/** The value of every figure of a record. */
export const valuesOf = (record: SequenceRecord): Readonly<Record<string, number | null>> =>
  valuesOfTally(tallyOf(record))

export const valuesOfTally = (tally: Tally): Readonly<Record<string, number | null>> =>
  Object.fromEntries(Object.entries(figuresOf(tally, "estimator")).map(([name, { value }]) => [name, value]))

/** Tallies of sequences with one person and the given errors, metres. */
export const talliesOff = (offM: ReadonlyArray<number>): ReadonlyArray<Tally> =>
  offM.map((x) => tallyOf(sequence([{ truth: [person(1, 0, 0)], said: [estimated(1, x, 0)] }])))
