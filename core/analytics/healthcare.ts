/**
 * The care report: falls, time by activity, mobility and rest.
 */
import type { TimeRange } from "./calendar.ts"
import { countedFrames, type EnvironmentSums, type Origins, originsOf, personMinutes, together } from "./figures.ts"
import { cutReason, type IncidentList, type ReportedIncident, type Response, responseOf } from "./incidents.ts"
import { mobilityScore } from "./mobility.ts"
import type { Movement } from "./movement.ts"
import type { SpanColumns } from "./occupancy.ts"
import { createReasons, noCountReason, noteCounted, noteCovered, type ReasonMap } from "./reasons.ts"
import { type SleepQuality, sleepQuality } from "./sleep.ts"

interface ActivityMinutes {
  readonly walking: number | null
  readonly standing: number | null
  readonly sitting: number | null
  readonly lying: number | null
  /** A person was present, with unknown activity. */
  readonly unknown: number | null
}

export interface HealthcareReport<Fall> {
  readonly falls: IncidentList<Fall & Response>
  readonly activityMinutes: ActivityMinutes
  readonly mobilityScore: number | null
  readonly sleepQuality: SleepQuality
  readonly origins: Origins
  readonly reasons: ReasonMap
}

export const healthcareReport = <Fall extends ReportedIncident>(
  given: {
    readonly range: TimeRange
    readonly environments: ReadonlyArray<EnvironmentSums>
    /** From `restLookBackMs` before the range to `gapMsMax` after it. */
    readonly spans: ReadonlyArray<SpanColumns>
    readonly movement: Movement
    readonly falls: IncidentList<Fall>
  },
): HealthcareReport<Fall> => {
  const reasons = createReasons()
  const sums = together(given.environments)
  const isCounted = countedFrames(sums) > 0
  noteCounted(given.environments, reasons)
  const minutes = (personFrames: number) => isCounted ? personMinutes(personFrames) : null
  if (isCounted) noteCovered(given.environments, "activitySummary", reasons)
  else reasons.note("activitySummary", noCountReason(sums))
  const cut = cutReason(given.falls)
  if (cut !== null) reasons.note("fallEvents.events", cut)
  return {
    falls: {
      count: given.falls.count,
      newest: given.falls.newest.map((fall) => ({ ...fall, ...responseOf(fall) })),
    },
    activityMinutes: {
      walking: minutes(sums.walking),
      standing: minutes(sums.standing),
      sitting: minutes(sums.sitting),
      lying: minutes(sums.lying),
      unknown: minutes(sums.unknown + sums.falling),
    },
    mobilityScore: mobilityScore(sums, given.movement, reasons),
    sleepQuality: sleepQuality(given.range, given.spans, reasons, isCounted ? null : noCountReason(sums)),
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}
