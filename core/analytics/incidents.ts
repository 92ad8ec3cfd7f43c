/**
 * Incidents as reports list them.
 */

/** State of a listed incident: see the events of the domain. */
export interface ReportedIncident {
  readonly timestampMs: number
  readonly raisedMs: number | null
  readonly acknowledgedMs: number | null
}

export interface Response {
  /** From the alert to the first acknowledgement; null before one. */
  readonly responseTimeS: number | null
  /** Why it is null. */
  readonly reason: string | null
}

/** Time from an alert to its acknowledgement. */
export const responseOf = ({ acknowledgedMs, raisedMs }: ReportedIncident): Response => {
  if (raisedMs === null) return { responseTimeS: null, reason: "No alert was raised." }
  if (acknowledgedMs === null) return { responseTimeS: null, reason: "The alert was not acknowledged." }
  return { responseTimeS: Math.max(0, acknowledgedMs - raisedMs) / 1e3, reason: null }
}

/** A list has the newest incidents; the total is counted separately. */
export interface IncidentList<A> {
  readonly count: number
  readonly newest: ReadonlyArray<A>
}

export const cutReason = ({ count, newest }: IncidentList<unknown>): string | null =>
  count > newest.length ? `The newest ${newest.length} of ${count}; GET /analytics/events has them all.` : null
