/**
 * Occupancy: the peak, the time series and the distribution of the number of persons.
 */
import { bucketStarts, minuteMs, type TimeRange } from "./calendar.ts"
import {
  averageOccupancy,
  countedFrames,
  type EnvironmentSums,
  frameS,
  type Origins,
  originsOf,
  ratio,
  together,
} from "./figures.ts"
import {
  createReasons,
  noConfidenceReason,
  noCountReason,
  noteCounted,
  noteCovered,
  type ReasonMap,
  type Reasons,
} from "./reasons.ts"

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
  /** Mean number of persons: the sum over the environments of each one's mean over its own frames; null if none counts persons. */
  readonly occupancy: number | null
  /** Peak number of persons: the sum of each environment's peak within the bucket. */
  readonly personMax: number
}

export interface Peak {
  readonly persons: number
  readonly atMs: number
  /** False: an upper bound, because several environments had their peaks within the same five minutes. */
  readonly exact: boolean
}

/** Peak number of persons at one time, if the store has it. `environments` are those of the request. */
export const peakOf = (
  environments: ReadonlyArray<EnvironmentSums>,
  peak: { readonly persons: number; readonly atMs: number } | null,
): Peak | null =>
  peak === null ? null : { ...peak, exact: environments.filter((sums) => countedFrames(sums) > 0).length === 1 }

/** The peak of a report under the paths of its fields, with a note if it is not exact, or the reason `unknown`. */
export const peakWithReasons = (
  peak: Peak | null,
  reasons: Reasons,
  unknown: string,
  paths: { readonly persons: string; readonly at: string | null },
): { readonly persons: number | null; readonly atMs: number | null } => {
  if (peak !== null && !peak.exact) {
    reasons.note(
      paths.persons,
      "An upper bound: the sum of each environment's peak within the same five minutes.",
    )
  }
  const atMs = paths.at === null ? null : reasons.orNull(paths.at, peak?.atMs ?? null, unknown)
  return { persons: reasons.orNull(paths.persons, peak?.persons ?? null, unknown), atMs }
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
  /** Percentage of the frames that count persons with none, one, two, three and more; null without such frames. */
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
    byStart.get(startMs) ?? { startMs, frames: 0, personFrames: 0, confidenceSum: 0, occupancy: null, personMax: 0 }
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
  const counted = countedFrames(sums)
  const unknown = noCountReason(sums)
  noteCounted(given.environments, reasons)
  if (counted > 0) noteCovered(given.environments, "summary.totalPersonHours", reasons)
  const peak = peakWithReasons(given.peak, reasons, unknown, {
    persons: "summary.peakOccupancy",
    at: "summary.peakTime",
  })
  const shares = [sums.frames0, sums.frames1, sums.frames2, sums.frames3, sums.frames4Plus]
    .map((count) => ratio(100 * count, counted))
  if (counted === 0) reasons.note("distribution", unknown)
  const timeSeries = filled(given.range, given.widthMs, given.buckets).map((bucket) => ({
    startMs: bucket.startMs,
    frames: bucket.frames,
    occupancy: bucket.occupancy,
    confidence: ratio(bucket.confidenceSum, bucket.personFrames),
  }))
  if (timeSeries.some(({ occupancy }) => occupancy === null)) {
    reasons.note("timeSeries.occupancy", "Null without stored frames that count persons.")
  }
  if (timeSeries.some(({ confidence }) => confidence === null)) {
    reasons.note("timeSeries.confidence", noConfidenceReason)
  }
  return {
    averageOccupancy: reasons.orNull(
      "summary.averageOccupancy",
      averageOccupancy(given.environments),
      unknown,
    ),
    peakOccupancy: peak.persons,
    peakTimeMs: peak.atMs,
    totalPersonHours: reasons.orNull(
      "summary.totalPersonHours",
      counted === 0 ? null : sums.personFrames * frameS / 3600,
      unknown,
    ),
    timeSeries,
    distribution: shares,
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}
