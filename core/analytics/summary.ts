/**
 * The summary of a range: persons, events, and the performance of the system.
 */
import { minuteMs, type TimeRange } from "./calendar.ts"
import { countedFrames, type EnvironmentSums, type Origins, originsOf, ratio, together } from "./figures.ts"
import type { Movement } from "./movement.ts"
import { filled, type OccupancyBucket, type Peak, peakWithReasons } from "./occupancy.ts"
import { livingTracks, type TrackBucket, uniquePersons, uniqueReason } from "./persons.ts"
import {
  createReasons,
  noConfidenceReason,
  noCountReason,
  noFramesReason,
  noteCounted,
  type ReasonMap,
} from "./reasons.ts"

/** Numbers of events of a range, by kind. */
export interface EventCounts {
  /** Changes of activity, and zones entered and left. */
  readonly movements: number
  readonly falls: number
  /** Incidents with an alert. */
  readonly alerts: number
}

export interface SummaryReport {
  readonly detections: number | null
  readonly uniquePersons: number | null
  readonly averageConfidence: number | null
  readonly peakOccupancy: number | null
  readonly peakOccupancyTimeMs: number | null
  readonly events: EventCounts
  readonly averageActivityLevel: number | null
  readonly uptimePercentage: number | null
  readonly averageProcessingMs: number | null
  readonly frames: number
  readonly errors: number | null
  readonly breakdown: ReadonlyArray<{
    readonly startMs: number
    readonly frames: number
    readonly detections: number | null
    readonly uniquePersons: number | null
    readonly tracks: number
    readonly averageConfidence: number | null
  }>
  readonly origins: Origins
  readonly reasons: ReasonMap
}

interface SummaryInput {
  readonly range: TimeRange
  readonly nowMs: number
  readonly widthMs: number
  /** Environments of the request, with or without frames. */
  readonly environmentCount: number
  readonly environments: ReadonlyArray<EnvironmentSums>
  readonly peak: Peak | null
  readonly buckets: ReadonlyArray<OccupancyBucket>
  readonly movement: Movement
  readonly trackBuckets: ReadonlyArray<TrackBucket>
  readonly events: EventCounts
  /** Answers with a 5xx status; a text is the reason why they are unknown for this time. */
  readonly errors: number | string
}

/** Percentage of the elapsed minutes of each environment that have frames; null before the first minute. */
const uptime = ({ environmentCount, nowMs, range }: SummaryInput, minutes: number): number | null => {
  const passed = Math.floor((Math.min(range.toMs, nowMs) - range.fromMs) / minuteMs) * environmentCount
  return passed <= 0 ? null : Math.min(100, 100 * minutes / passed)
}

const breakdownOf = (input: SummaryInput, soloPeak: boolean): SummaryReport["breakdown"] => {
  const tracks = livingTracks(input.range, input.widthMs, input.trackBuckets)
  return filled(input.range, input.widthMs, input.buckets).map((bucket, i) => {
    // The sum of several environments' peaks is not a lower bound, because a person may have walked from one to the other.
    const bounds = { min: bucket.personMax, max: tracks[i]! }
    return {
      startMs: bucket.startMs,
      frames: bucket.frames,
      detections: bucket.occupancy === null ? null : bucket.personFrames,
      uniquePersons: bucket.occupancy === null || (!soloPeak && bounds.max > 0) ? null : uniquePersons(bounds),
      tracks: tracks[i]!,
      averageConfidence: ratio(bucket.confidenceSum, bucket.personFrames),
    }
  })
}

export const summaryReport = (input: SummaryInput): SummaryReport => {
  const reasons = createReasons()
  const { environments, movement } = input
  const sums = together(environments)
  const isCounted = countedFrames(sums) > 0
  const unknown = noCountReason(sums)
  noteCounted(environments, reasons)
  const peak = peakWithReasons(input.peak, reasons, unknown, {
    persons: "detectionStats.peakOccupancy",
    at: "detectionStats.peakOccupancyTime",
  })
  const bounds = { min: Math.max(0, ...environments.map(({ personMax }) => personMax)), max: movement.tracks }
  const known = sums.walking + sums.standing + sums.sitting + sums.lying
  const breakdown = breakdownOf(input, environments.filter((of) => countedFrames(of) > 0).length <= 1)
  if (breakdown.some(({ detections }) => detections === null)) {
    reasons.note("hourlyBreakdown.detections", "Null without stored frames that count persons.")
  }
  if (breakdown.some((bucket) => bucket.uniquePersons === null)) {
    reasons.note(
      "hourlyBreakdown.uniquePersons",
      "Null without stored frames that count persons, and if persons may have returned: `tracks` is the upper bound.",
    )
  }
  if (breakdown.some(({ averageConfidence }) => averageConfidence === null)) {
    reasons.note("hourlyBreakdown.averageConfidence", noConfidenceReason)
  }
  return {
    detections: reasons.orNull("detectionStats.totalDetections", isCounted ? sums.personFrames : null, unknown),
    uniquePersons: reasons.orNull(
      "detectionStats.uniquePersons",
      isCounted ? uniquePersons(bounds) : null,
      isCounted ? uniqueReason(bounds) : unknown,
    ),
    averageConfidence: reasons.orNull(
      "detectionStats.averageConfidence",
      ratio(sums.confidenceSum, sums.personFrames),
      isCounted ? "No person was detected." : unknown,
    ),
    peakOccupancy: peak.persons,
    peakOccupancyTimeMs: peak.atMs,
    events: input.events,
    averageActivityLevel: reasons.orNull(
      "activityStats.averageActivityLevel",
      ratio(sums.walking, known),
      isCounted ? "No activity of a person was known." : unknown,
    ),
    uptimePercentage: reasons.orNull(
      "systemStats.uptimePercentage",
      uptime(input, sums.minutes),
      input.environmentCount === 0 ? "No environment is enrolled." : "No minute of this time has passed yet.",
    ),
    averageProcessingMs: reasons.orNull(
      "systemStats.averageProcessingTime",
      ratio(sums.processingMsSum, sums.frames),
      noFramesReason,
    ),
    frames: sums.frames,
    errors: reasons.orNull(
      "systemStats.errorCount",
      typeof input.errors === "number" ? input.errors : null,
      String(input.errors),
    ),
    breakdown,
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}
