/**
 * The security report: intrusions, entries into watched zones, and crowds.
 *
 * CSI does not identify persons. An entry is allowed if it broke no rule of the operator: it was through an entrance, without an
 * intrusion in progress.
 */
import { averageOccupancy, countedFrames, type EnvironmentSums, type Origins, originsOf, together } from "./figures.ts"
import { cutReason, type IncidentList, type ReportedIncident, type Response, responseOf } from "./incidents.ts"
import { type Peak, peakWithReasons, type SpanColumns } from "./occupancy.ts"
import { createReasons, noCountReason, noteCounted, type ReasonMap } from "./reasons.ts"

/** Entries, from the store. */
interface PerimeterEntries {
  /** Into zones that are watched or have the role entrance; null if there is no such zone. */
  readonly all: number | null
  /** Into zones of the role entrance without an intrusion in the environment; null if there is no such zone. */
  readonly allowed: number | null
}

export interface SecurityReport<Intrusion> {
  readonly intrusions: IncidentList<Intrusion & Response>
  readonly perimeter: {
    readonly detections: number | null
    readonly authorizedEntries: number | null
    readonly unauthorizedAttempts: number
    /** Always unknown: an acknowledgement does not say whether the alert was correct. */
    readonly falsePositives: null
  }
  readonly crowd: {
    readonly maxOccupancy: number | null
    readonly averageOccupancy: number | null
    readonly formations: number | null
  }
  readonly origins: Origins
  readonly reasons: ReasonMap
}

/** Number of times that the persons of an environment became a crowd: spans with that many, after one with fewer or without frames. */
export const crowdFormations = ({ personMax, startMs }: SpanColumns, crowdSize: number, widthMs: number): number =>
  startMs.filter((timeMs, i) => {
    if (personMax[i]! < crowdSize) return false
    const follows = i > 0 && timeMs - startMs[i - 1]! <= widthMs
    return !follows || personMax[i - 1]! < crowdSize
  }).length

export const securityReport = <Intrusion extends ReportedIncident>(
  given: {
    readonly environments: ReadonlyArray<EnvironmentSums>
    readonly peak: Peak | null
    readonly spans: ReadonlyArray<SpanColumns>
    readonly widthMs: number
    /** Minimum number of persons of a crowd. */
    readonly crowdSize: number
    readonly entries: PerimeterEntries
    readonly intrusions: IncidentList<Intrusion>
  },
): SecurityReport<Intrusion> => {
  const reasons = createReasons()
  const sums = together(given.environments)
  const cut = cutReason(given.intrusions)
  if (cut !== null) reasons.note("intrusionEvents.events", cut)
  const unknown = noCountReason(sums)
  noteCounted(given.environments, reasons)
  const peak = peakWithReasons(given.peak, reasons, unknown, {
    persons: "crowdAnalysis.maxOccupancy",
    at: null,
  })
  const isCounted = countedFrames(sums) > 0
  // Persons who are not located enter no zone, so zero entries do not show that nobody entered.
  const isBlind = sums.frames > 0 && !isCounted && given.entries.all === 0
  const formations = !isCounted
    ? null
    : given.spans.reduce((sum, spans) => sum + crowdFormations(spans, given.crowdSize, given.widthMs), 0)
  return {
    intrusions: {
      count: given.intrusions.count,
      newest: given.intrusions.newest.map((intrusion) => ({ ...intrusion, ...responseOf(intrusion) })),
    },
    perimeter: {
      detections: reasons.orNull(
        "perimeterMonitoring.totalDetections",
        isBlind ? null : given.entries.all,
        isBlind ? unknown : `No zone is watched or has the role "entrance": there is no perimeter.`,
      ),
      authorizedEntries: reasons.orNull(
        "perimeterMonitoring.authorizedEntries",
        isBlind ? null : given.entries.allowed,
        isBlind && given.entries.allowed !== null
          ? unknown
          : `No zone has the role "entrance", and CSI does not identify persons.`,
      ),
      unauthorizedAttempts: given.intrusions.count,
      falsePositives: reasons.orNull(
        "perimeterMonitoring.falsePositives",
        null,
        "Whether an alert was correct is not recorded; an acknowledgement does not say.",
      ),
    },
    crowd: {
      maxOccupancy: peak.persons,
      averageOccupancy: reasons.orNull(
        "crowdAnalysis.averageOccupancy",
        averageOccupancy(given.environments),
        unknown,
      ),
      formations: reasons.orNull("crowdAnalysis.crowdFormationEvents", formations, unknown),
    },
    origins: originsOf(sums),
    reasons: reasons.all(),
  }
}
