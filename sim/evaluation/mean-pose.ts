/**
 * The mean pose: the answer of an estimator that has the position of a person, but no information about the body.
 *
 * Owns the mean of the true poses of training sequences, over all persons and per activity, relative to the floor below the pelvis,
 * in the room's axes. Headings are arbitrary, so the mean is upright and has no heading. The baselines put these poses at the
 * estimator's positions. Boundary: the numbers are in `mean-poses.json`, which `npm run eval -- --mean-poses` computes.
 */
import { facingRad } from "./facing.ts"
import { matchPersons } from "./matching.ts"
import { poseGateM } from "./pose-accuracy.ts"
import {
  activities,
  type EstimatedPerson,
  type HopRecord,
  joints,
  pelvisOf,
  type SequenceRecord,
  type TrueActivity,
  type TruePerson,
} from "./record.ts"
import type { SeedRange } from "./seed-ranges.ts"

/** Keypoints relative to the floor below the pelvis, [x, y, z] each, metres. */
export type Pose = ReadonlyArray<number>

export interface MeanPoses {
  /** Seeds of the sequences, first to last. */
  readonly seeds: SeedRange
  /** Number of averaged poses: one per person and hop. */
  readonly persons: number
  readonly all: Pose
  /** Null for an activity that did not occur. */
  readonly byActivity: Readonly<Record<TrueActivity, Pose | null>>
  /** The mean of the poses after a turn to face +x. */
  readonly facing: Readonly<Record<TrueActivity, Pose | null>>
}

/** Sums of poses per activity; the sum over activities gives `all`. */
export interface PoseSums {
  /** [activity][joint][xyz] */
  readonly sums: Float64Array
  /** The mean of the poses after a turn to face +x. */
  readonly turned: Float64Array
  /** [activity] */
  readonly counts: Float64Array
}

const poseLength = 3 * joints

export const emptyPoseSums = (): PoseSums => ({
  sums: new Float64Array(activities.length * poseLength),
  turned: new Float64Array(activities.length * poseLength),
  counts: new Float64Array(activities.length),
})

export const addTruePose = ({ counts, sums, turned }: PoseSums, { activity, keypoints }: TruePerson): void => {
  const row = activities.indexOf(activity)
  const [x, y] = pelvisOf(keypoints)
  const facing = facingRad(keypoints)
  const [c, s] = [Math.cos(facing), Math.sin(facing)]
  counts[row]!++
  for (let joint = 0; joint < joints; joint++) {
    const at = 3 * joint
    const into = row * poseLength + at
    const [dx, dy, z] = [keypoints[at]! - x!, keypoints[at + 1]! - y!, keypoints[at + 2]!]
    sums[into]! += dx
    sums[into + 1]! += dy
    sums[into + 2]! += z
    turned[into]! += c * dx + s * dy
    turned[into + 1]! += c * dy - s * dx
    turned[into + 2]! += z
  }
}

/** Adds the sums of another part to `total`. */
export const addPoseSums = (total: PoseSums, part: PoseSums): void => {
  for (const name of ["sums", "turned", "counts"] as const) {
    for (let at = 0; at < total[name].length; at++) total[name][at]! += part[name][at]!
  }
}

const millimetres = (value: number): number => Math.round(1000 * value) / 1000

/** @throws RangeError without any pose */
export const meanPosesOf = ({ counts, sums, turned }: PoseSums, seeds: SeedRange): MeanPoses => {
  const persons = counts.reduce((sum, count) => sum + count, 0)
  if (persons === 0) throw new RangeError("no pose to average: use sequences with persons")
  const pose = (from: Float64Array, rows: ReadonlyArray<number>): Pose | null => {
    const count = rows.reduce((sum, row) => sum + counts[row]!, 0)
    return count === 0 ? null : Array.from(
      { length: poseLength },
      (_, at) => millimetres(rows.reduce((sum, row) => sum + from[row * poseLength + at]!, 0) / count),
    )
  }
  const each = (from: Float64Array): MeanPoses["facing"] =>
    Object.fromEntries(activities.map((name, row) => [name, pose(from, [row])])) as MeanPoses["facing"]
  return {
    seeds,
    persons,
    all: pose(sums, activities.map((_, row) => row))!,
    byActivity: each(sums),
    facing: each(turned),
  }
}

/** An estimate with another pose at its position, without a stated certainty. */
const withPose = (estimate: EstimatedPerson, pose: Pose): EstimatedPerson => {
  const [x, y] = pelvisOf(estimate.keypoints)
  const keypoints = pose.map((value, at) => value + (at % 3 === 0 ? x! : at % 3 === 1 ? y! : 0))
  return { ...estimate, keypoints, certainty: null }
}

/** A sequence with other poses at the positions of its estimates. */
export const replacePoses = (
  { fallImpactsS, hops }: SequenceRecord,
  poseOf: (hop: HopRecord) => (estimate: number) => Pose,
): SequenceRecord => ({
  fallImpactsS,
  hops: hops.map((hop) => {
    const { persons } = hop.estimate
    const pose = poseOf(hop)
    return { ...hop, estimate: { ...hop.estimate, persons: persons.map((person, i) => withPose(person, pose(i))) } }
  }),
})

/** A sequence with every estimate replaced by the mean pose. */
export const withMeanPose = (record: SequenceRecord, { all }: MeanPoses): SequenceRecord =>
  replacePoses(record, () => () => all)

/** A sequence with every estimate replaced by the mean pose of the true activity; unmatched estimates get the mean of all. */
export const withClassMean = (record: SequenceRecord, { all, byActivity }: MeanPoses): SequenceRecord =>
  replacePoses(record, ({ estimate, truth }) => {
    const poses = new Map<number, Pose | null>()
    for (const [person, at] of matchPersons(truth, estimate.persons, poseGateM).entries()) {
      if (at >= 0) poses.set(at, byActivity[truth[person]!.activity])
    }
    return (i) => poses.get(i) ?? all
  })
