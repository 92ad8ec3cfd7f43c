/** The number of persons of an intrusion: null with the reason where only presence was detected. */
import { describe, expect, it } from "vitest"
import { noFrames, originsOf } from "../../../core/analytics/figures.ts"
import { eventBody } from "../../../protocols/pose-api/event-json.ts"
import { securityAnalytics } from "../../../protocols/pose-api/security.ts"
import { incidentEvent, startMs } from "../../harness/events.ts"

const intrusion = (personCount: number | null) =>
  incidentEvent("00000000-0000-4000-8000-000000000001", "open", 2, {
    personId: null,
    location: null,
    detail: { type: "intrusion_detection", personCount, durationS: 9 },
  })

/** What the report of the security domain says about an intrusion. */
const reported = (personCount: number | null) => {
  const event = intrusion(personCount)
  const text = securityAnalytics.response!.bare.text({
    asked: { environmentId: null, period: "day", range: { fromMs: startMs, toMs: startMs + 1 } },
    report: {
      intrusions: {
        count: 1,
        newest: [{
          event,
          timestampMs: startMs,
          raisedMs: startMs,
          acknowledgedMs: null,
          reason: "not acknowledged",
          responseTimeS: null,
        }],
      },
      perimeter: { detections: null, authorizedEntries: null, unauthorizedAttempts: 1, falsePositives: null },
      crowd: { maxOccupancy: null, averageOccupancy: null, formations: null },
      origins: originsOf(noFrames),
      reasons: {},
    },
  }, startMs)
  return JSON.parse(text).metrics.intrusion_events.events[0]
}

describe("an intrusion", () => {
  it("has the number of located persons", () => {
    const counted = { person_count: 2, person_count_reason: null }
    expect(eventBody(intrusion(2), startMs).metadata).toMatchObject(counted)
    expect(reported(2)).toMatchObject(counted)
  })

  it.each([null, 0])("has no number of persons where only presence was detected, stored as %s", (stored) => {
    const uncounted = { person_count: null, person_count_reason: expect.stringContaining("Only presence") as string }
    expect(eventBody(intrusion(stored), startMs).metadata).toMatchObject(uncounted)
    expect(reported(stored)).toMatchObject(uncounted)
  })
})

it("other events have neither a number of persons nor a reason", () => {
  const fall = incidentEvent("00000000-0000-4000-8000-000000000002", "open", 2)
  expect(eventBody(fall, startMs).metadata).toMatchObject({ person_count: null, person_count_reason: null })
})
