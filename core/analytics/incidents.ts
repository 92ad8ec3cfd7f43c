/**
 * Incidents as reports list them.
 */

/** How far an incident of a list is: see the events of the domain. */
export interface ReportedIncident {
  readonly timestampMs: number
  readonly raisedMs: number | null
  readonly acknowledgedMs: number | null
}

export interface Response {
  /** From the alert to the first acknowledgement; null while nobody has answered. */
  readonly responseTimeS: number | null
  /** Why there is none. */
  readonly reason: string | null
}

/** How long somebody took to answer an alert. */
export const responseOf = ({ acknowledgedMs, raisedMs }: ReportedIncident): Response => {
  if (raisedMs === null) return { responseTimeS: null, reason: "No alert was raised." }
  if (acknowledgedMs === null) return { responseTimeS: null, reason: "Nobody acknowledged the alert." }
  return { responseTimeS: Math.max(0, acknowledgedMs - raisedMs) / 1e3, reason: null }
}

/** A list of incidents is cut at its newest; how many there are is counted apart. */
export interface IncidentList<A> {
  readonly count: number
  readonly newest: ReadonlyArray<A>
}

export const cutReason = ({ count, newest }: IncidentList<unknown>): string | null =>
  count > newest.length ? `The newest ${newest.length} of ${count}; GET /analytics/events has them all.` : null
