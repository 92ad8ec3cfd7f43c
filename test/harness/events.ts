/** Events and alerts for tests. */
import type { ActivityEvent, Alert, IncidentStatus } from "../../protocols/domain/event.ts"
import { alertOf } from "../../protocols/domain/event.ts"

const provenance = { source: "simulated", calibrated: true, modelVersion: "test", linksUsed: 3 } as const
export const startMs = Date.UTC(2026, 0, 5, 9, 30)

/** The event of a fall whose incident has this status. */
export const incidentEvent = (
  eventId: string,
  status: IncidentStatus,
  revision: number,
  over: Partial<ActivityEvent> = {},
): ActivityEvent => {
  const raised = status !== "waiting" && status !== "withdrawn"
  const ended = status === "cleared" || status === "withdrawn"
  return {
    eventId,
    revision,
    environmentId: "living-room",
    severity: "high",
    timestampMs: startMs,
    revisedMs: startMs + 1000 * revision,
    personId: 7,
    confidence: 0.81234567,
    location: { x: 1.5, y: 2.25 },
    zone: null,
    detail: {
      type: "fall_detection",
      fallDurationS: revision,
      impactSeverity: "medium",
      impactMps: 2.1,
      recoveryDetected: status === "cleared",
    },
    incident: {
      key: `fall:${eventId}`,
      status,
      raisedMs: raised ? startMs + 10_000 : null,
      acknowledgedBy: status === "acknowledged" ? "vera" : null,
      acknowledgedMs: status === "acknowledged" ? startMs + 30_000 : null,
      endedMs: ended ? startMs + 60_000 : null,
      resolution: ended ? "recovered" : null,
    },
    provenance,
    ...over,
  }
}

/** The alert of such an event. */
export const makeAlert = (
  alertId: string,
  status: "open" | "acknowledged" | "cleared",
  revision: number,
  over: Partial<Alert> = {},
): Alert => ({ ...alertOf(incidentEvent(alertId, status, revision))!, ...over })

export const zoneEvent = (eventId: string): ActivityEvent => ({
  ...incidentEvent(eventId, "waiting", 1),
  severity: "low",
  zone: { zoneId: "hall", name: "The hall" },
  detail: { type: "zone_entered" },
  incident: null,
})
