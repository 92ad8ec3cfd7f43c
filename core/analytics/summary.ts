/**
 * The summary of a range: persons, events, and the performance of the system.
 */
import { minuteMs, type TimeRange } from "./calendar.ts"
import { type EnvironmentSums, type Origins, originsOf, ratio, together } from "./figures.ts"
import type { Movement } from "./movement.ts"
import { filled, type OccupancyBucket, type Peak, peakWithReasons } from "./occupancy.ts"
import { livingTracks, type TrackBucket, uniquePersons, uniqueReason } from "./persons.ts"
import { createReasons, noFramesReason, type ReasonMap } from "./reasons.ts"

/** Numbers of events of a range, by kind. */
export interface EventCounts {
  /** Changes of activity, and zones entered and left. */
  readonly movements: number
  readonly falls: number
  /** Incidents with an alert. */
  readonly alerts: number
}

export interface SummaryReport {
  readonly detections: number
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
    readonly detections: number
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
      detections: bucket.personFrames,
      uniquePersons: bucket.frames === 0 || (!soloPeak && bounds.max > 0) ? null : uniquePersons(bounds),
      tracks: tracks[i]!,
      averageConfidence: ratio(bucket.confidenceSum, bucket.personFrames),
    }
  })
}

export const summaryReport = (input: SummaryInput): SummaryReport => {
  const reasons = createReasons()
  const { environments, movement } = input
  const sums = together(environments)
  const peak = peakWithReasons(input.peak, reasons, {
    persons: "detectionStats.peakOccupancy",
    at: "detectionStats.peakOccupancyTime",
  })
  const bounds = { min: Math.max(0, ...environments.map(({ personMax }) => personMax)), max: movement.tracks }
  const known = sums.walking + sums.standing + sums.sitting + sums.lying
  const breakdown = breakdownOf(input, environments.filter(({ frames }) => frames > 0).length <= 1)
  if (breakdown.some((bucket) => bucket.uniquePersons === null)) {
    reasons.note(
      "hourlyBreakdown.uniquePersons",
      "Null without stored frames, and if persons may have returned: `tracks` is the upper bound.",
    )
  }
  if (breakdown.some(({ averageConfidence }) => averageConfidence === null)) {
    reasons.note("hourlyBreakdown.averageConfidence", "Null without persons.")
  }
  return {
    detections: sums.personFrames,
    uniquePersons: reasons.orNull(
      "detectionStats.uniquePersons",
      sums.frames === 0 ? null : uniquePersons(bounds),
      sums.frames === 0 ? noFramesReason : uniqueReason(bounds),
    ),
    averageConfidence: reasons.orNull(
      "detectionStats.averageConfidence",
      ratio(sums.confidenceSum, sums.personFrames),
      sums.frames === 0 ? noFramesReason : "No person was detected.",
    ),
    peakOccupancy: peak.persons,
    peakOccupancyTimeMs: peak.atMs,
    events: input.events,
    averageActivityLevel: reasons.orNull(
      "activityStats.averageActivityLevel",
      ratio(sums.walking, known),
      sums.frames === 0 ? noFramesReason : "No activity of a person was known.",
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
