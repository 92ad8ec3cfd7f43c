/**
 * Detection in the view: average precision of skeletons (OKS, as COCO defines it) and of boxes (IoU).
 *
 * The view is that of the API: an elevation looking along +y, so x and z, here in metres, because the pose frame's 0..1 has a
 * different scale along each axis. The area of OKS is that of the box around the true keypoints. Estimates are ranked by their
 * score to two decimals; each matches the best remaining true person, per hop and threshold. Precision is interpolated at 101
 * levels of recall.
 */
import { type Figure, none, noPersons } from "./figure.ts"
import { joints, type SequenceRecord } from "./record.ts"

/** COCO's deviations of annotators, in COCO's order. */
const sigmas = [
  0.026,
  0.025,
  0.025,
  0.035,
  0.035,
  0.079,
  0.079,
  0.072,
  0.072,
  0.062,
  0.062,
  0.107,
  0.107,
  0.087,
  0.087,
  0.089,
  0.089,
] as const

/** Smallest area of a person in the view, m^2: head and shoulders of a person who lies along the line of sight. */
const areaMinM2 = 0.05

const oksThresholds = Array.from({ length: 10 }, (_, i) => 0.5 + 0.05 * i)
const boxThresholds = [0.5, 0.75]
const levels = 101
const kinds = oksThresholds.length + boxThresholds.length

export interface DetectionTally {
  /** Estimates by score, [level] */
  readonly ranked: Float64Array
  /** Correct estimates, [OKS thresholds, then IoU thresholds][level] */
  readonly hits: Float64Array
  /** [true persons] */
  readonly wanted: Float64Array
}

export const emptyDetectionTally = (): DetectionTally => ({
  ranked: new Float64Array(levels),
  hits: new Float64Array(kinds * levels),
  wanted: new Float64Array(1),
})

interface Box {
  readonly low: readonly [x: number, z: number]
  readonly high: readonly [x: number, z: number]
}

const boxOf = (keypoints: ArrayLike<number>): Box => {
  const low: [number, number] = [Infinity, Infinity]
  const high: [number, number] = [-Infinity, -Infinity]
  for (let joint = 0; joint < joints; joint++) {
    for (const [side, axis] of [0, 2].entries()) {
      const value = keypoints[3 * joint + axis]!
      low[side] = Math.min(low[side]!, value)
      high[side] = Math.max(high[side]!, value)
    }
  }
  return { low, high }
}

const areaOf = ({ high, low }: Box): number => Math.max(0, high[0] - low[0]) * Math.max(0, high[1] - low[1])

/** Object keypoint similarity of an estimate with a true person, 0..1. */
export const oksOf = (truth: ArrayLike<number>, estimate: ArrayLike<number>): number => {
  const area = Math.max(areaMinM2, areaOf(boxOf(truth)))
  let sum = 0
  for (let joint = 0; joint < joints; joint++) {
    const dx = truth[3 * joint]! - estimate[3 * joint]!
    const dz = truth[3 * joint + 2]! - estimate[3 * joint + 2]!
    sum += Math.exp(-(dx * dx + dz * dz) / (2 * area * (2 * sigmas[joint]!) ** 2))
  }
  return sum / joints
}

/** Intersection over union of the boxes around two sets of keypoints. */
export const boxIouOf = (truth: ArrayLike<number>, estimate: ArrayLike<number>): number => {
  const [a, b] = [boxOf(truth), boxOf(estimate)]
  const both = areaOf({
    low: [Math.max(a.low[0], b.low[0]), Math.max(a.low[1], b.low[1])],
    high: [Math.min(a.high[0], b.high[0]), Math.min(a.high[1], b.high[1])],
  })
  const either = areaOf(a) + areaOf(b) - both
  return either > 0 ? both / either : 0
}

/** Whether each estimate, in the order of scores, matches a person of its own at a threshold. */
const hitsAt = (similarity: ReadonlyArray<ReadonlyArray<number>>, threshold: number): ReadonlyArray<boolean> => {
  const taken = new Set<number>()
  return similarity.map((row) => {
    let best = -1
    for (const [person, value] of row.entries()) {
      if (value >= threshold && !taken.has(person) && (best < 0 || value > row[best]!)) best = person
    }
    if (best >= 0) taken.add(best)
    return best >= 0
  })
}

/** Counts a whole sequence. */
export const addDetections = (tally: DetectionTally, { hops }: SequenceRecord): void => {
  for (const { estimate, truth } of hops) {
    const ordered = [...estimate.persons].sort((a, b) => b.score - a.score)
    const level = ordered.map(({ score }) => Math.round(Math.max(0, Math.min(1, score)) * (levels - 1)))
    tally.wanted[0]! += truth.length
    for (const at of level) tally.ranked[at]!++
    const oks = ordered.map((person) => truth.map(({ keypoints }) => oksOf(keypoints, person.keypoints)))
    const iou = ordered.map((person) => truth.map(({ keypoints }) => boxIouOf(keypoints, person.keypoints)))
    for (let kind = 0; kind < kinds; kind++) {
      const ofBoxes = kind - oksThresholds.length
      const hits = ofBoxes < 0 ? hitsAt(oks, oksThresholds[kind]!) : hitsAt(iou, boxThresholds[ofBoxes]!)
      for (const [i, hit] of hits.entries()) if (hit) tally.hits[kind * levels + level[i]!]!++
    }
  }
}

/** Mean of the best precision at or beyond each of 101 levels of recall. */
const averagePrecision = (ranked: ArrayLike<number>, hits: ArrayLike<number>, wanted: number): number => {
  const points: Array<{ readonly recall: number; precision: number }> = []
  let estimated = 0
  let right = 0
  for (let level = levels - 1; level >= 0; level--) {
    if (ranked[level]! === 0) continue
    estimated += ranked[level]!
    right += hits[level]!
    points.push({ recall: right / wanted, precision: right / estimated })
  }
  for (let i = points.length - 2; i >= 0; i--) {
    points[i]!.precision = Math.max(points[i]!.precision, points[i + 1]!.precision)
  }
  let sum = 0
  for (let i = 0; i <= 100; i++) sum += points.find(({ recall }) => recall >= i / 100 - 1e-12)?.precision ?? 0
  return sum / 101
}

export const detectionFigures = ({ hits, ranked, wanted }: DetectionTally): Readonly<Record<string, Figure>> => {
  const persons = wanted[0]!
  if (persons === 0) return { oks_ap: none(noPersons), box_ap50: none(noPersons), box_ap75: none(noPersons) }
  const precisions = Array.from(
    { length: kinds },
    (_, kind) => averagePrecision(ranked, hits.subarray(kind * levels, (kind + 1) * levels), persons),
  )
  const oks = precisions.slice(0, oksThresholds.length)
  return {
    oks_ap: { value: oks.reduce((sum, value) => sum + value, 0) / oks.length },
    box_ap50: { value: precisions[oksThresholds.length]! },
    box_ap75: { value: precisions[oksThresholds.length + 1]! },
  }
}
