/**
 * Occupancy: the peak, the time series and the distribution of the number of persons.
 */
import { bucketStarts, minuteMs, type TimeRange } from "./calendar.ts"
import { averageOccupancy, type EnvironmentSums, frameS, type Origins, originsOf, ratio, together } from "./figures.ts"
import { createReasons, noFramesReason, type ReasonMap, type Reasons } from "./reasons.ts"

/** Width of the spans of the store's sums. */
export const spanMs = 5 * minuteMs

/**
 * The spans of one environment with persons, in order of time, as columns of equal length. At the edges of a range, spans may be
 * single minutes.
 */
export interface SpanColumns {
  readonly environmentId: string
  readonly startMs: ReadonlyArray<number>
  readonly personFrames: ReadonlyArray<number>
  readonly lying: ReadonlyArray<number>
  readonly personMax: ReadonlyArray<number>
}

/** Sums of a bucket over all environments. */
export interface OccupancyBucket {
  readonly startMs: number
  readonly frames: number
  readonly personFrames: number
  readonly confidenceSum: number
  /** Mean number of persons: the sum over the environments of each one's mean over its own frames. */
  readonly occupancy: number
  /** Peak number of persons: the sum of each environment's peak within the bucket. */
  readonly personMax: number
}

export interface Peak {
  readonly persons: number
  readonly atMs: number
  /** False: an upper bound, because several environments had their peaks within the same five minutes. */
  readonly exact: boolean
}

/** Peak number of persons at one time, if the store has it. `environments` are those with frames or in the request. */
export const peakOf = (
  environments: ReadonlyArray<EnvironmentSums>,
  peak: { readonly persons: number; readonly atMs: number } | null,
): Peak | null =>
  peak === null ? null : { ...peak, exact: environments.filter(({ frames }) => frames > 0).length === 1 }

/** The peak of a report under the paths of its fields, with a note if it is unknown or not exact. */
export const peakWithReasons = (
  peak: Peak | null,
  reasons: Reasons,
  paths: { readonly persons: string; readonly at: string | null },
): { readonly persons: number | null; readonly atMs: number | null } => {
  if (peak !== null && !peak.exact) {
    reasons.note(
      paths.persons,
      "An upper bound: the sum of each environment's peak within the same five minutes.",
    )
  }
  const atMs = paths.at === null ? null : reasons.orNull(paths.at, peak?.atMs ?? null, noFramesReason)
  return { persons: reasons.orNull(paths.persons, peak?.persons ?? null, noFramesReason), atMs }
}

export interface OccupancyReport {
  readonly averageOccupancy: number | null
  readonly peakOccupancy: number | null
  readonly peakTimeMs: number | null
  readonly totalPersonHours: number | null
  readonly timeSeries: ReadonlyArray<{
    readonly startMs: number
    readonly frames: number
    readonly occupancy: number | null
    readonly confidence: number | null
  }>
  /** Percentage of the frames with none, one, two, three and more persons; null without frames. */
  readonly distribution: ReadonlyArray<number | null>
  readonly origins: Origins
  readonly reasons: ReasonMap
}

/** Buckets of a range in order. Buckets without data have zero frames. */
export const filled = (
  range: TimeRange,
  widthMs: number,
  buckets: ReadonlyArray<OccupancyBucket>,
): ReadonlyArray<OccupancyBucket> => {
  const byStart = new Map(buckets.map((bucket) => [bucket.startMs, bucket]))
  return bucketStarts(range, widthMs).map((startMs) =>
    byStart.get(startMs) ?? { startMs, frames: 0, personFrames: 0, confidenceSum: 0, occupancy: 0, personMax: 0 }
  )
}

export const occupancyReport = (
  given: {
    readonly range: TimeRange
    readonly widthMs: number
    readonly environments: ReadonlyArray<EnvironmentSums>
    readonly peak: Peak | null
    readonly buckets: ReadonlyArray<OccupancyBucket>
  },
): OccupancyReport => {
  const reasons = createReasons()
  const sums = together(given.environments)
  const { frames } = sums
  const peak = peakWithReasons(given.peak, reasons, {
    persons: "summary.peakOccupancy",
    at: "summary.peakTime",
  })
  const shares = [sums.frames0, sums.frames1, sums.frames2, sums.frames3, sums.frames4Plus]
    .map((count) => ratio(100 * count, frames))
  if (frames === 0) reasons.note("distribution", noFramesReason)
  const timeSeries = filled(given.range, given.widthMs, given.buckets).map((bucket) => ({
    startMs: bucket.startMs,
    frames: bucket.frames,
    occupancy: bucket.frames === 0 ? null : bucket.occupancy,
    confidence: ratio(bucket.confidenceSum, bucket.personFrames),
  }))
  if (timeSeries.some(({ occupancy }) => occupancy === null)) {
    reasons.note("timeSeries.occupancy", "Null without stored frames.")
  }
  if (timeSeries.some(({ confidence }) => confidence === null)) {
    reasons.note("timeSeries.confidence", "Null without persons.")
  }
  return {
    averageOccupancy: reasons.orNull(
      "summary.averageOccupancy",
      averageOccupancy(given.environments),
      noFramesReason,
    ),
    peakOccupancy: peak.persons,
    peakTimeMs: peak.atMs,
    totalPersonHours: reasons.orNull(
      "summary.totalPersonHours",
      frames === 0 ? null : sums.personFrames * frameS / 3600,
      noFramesReason,
    ),
    timeSeries,
    distribution: shares,
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}
