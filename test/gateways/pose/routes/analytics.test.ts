import * as fc from "fast-check"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { Environment } from "../../../../protocols/domain/site.ts"
import { type Form, forms } from "../../../../protocols/pose-api/forms.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { incidentEvent, zoneEvent } from "../../../harness/events.ts"
import { embeddedDatabase, type TestDatabase } from "../../../harness/database.ts"
import { storeMinutes, storeTracks } from "../../../harness/stored-minutes.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"

const day = Date.UTC(2026, 0, 5)
const minute = 60_000
const hour = 60 * minute
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
const square: Environment["zones"] = [
  { zoneId: "door", name: "The door", kind: "watched", role: "entrance", polygon: [[0, 0], [1, 0], [1, 1]] },
  { zoneId: "till", name: "The till", kind: "general", role: "purchase", polygon: [[2, 0], [3, 0], [3, 1]] },
]

/** A night of lying, a morning of walking, a visit to the till, a fall that was answered and an intrusion that was not. */
const life = Effect.gen(function* () {
  const directory = yield* Directory
  yield* directory.enrol({ environmentId: "shop", name: "Shop", geometry: null, zones: square }, [])
  yield* directory.enrol({ environmentId: "attic", name: "Attic", geometry: null }, [])
  yield* storeMinutes("shop", day, Array(240).fill(1), { activity: "lying" })
  yield* storeMinutes("shop", day + 240 * minute, Array(60).fill(2), { activity: "walking", source: "simulated" })
  yield* storeTracks("shop", [
    { trackId: 7, firstMs: day, lastMs: day + 300 * minute },
    { trackId: 8, firstMs: day + 4 * hour, lastMs: day + 5 * hour },
  ])
  const zone = (n: number, zoneId: string, timestampMs: number, dwellS: number | null) => ({
    ...zoneEvent(id(n)),
    environmentId: "shop",
    timestampMs,
    personId: 8,
    zone: { zoneId, name: "An old name" },
    detail: dwellS === null ? { type: "zone_entered" as const } : { type: "zone_left" as const, dwellS },
  })
  yield* (yield* EventStore).append([
    zone(1, "door", day + 4 * hour, null),
    zone(2, "door", day + 4 * hour + minute, 60),
    zone(3, "till", day + 4 * hour + 2 * minute, null),
    incidentEvent(id(4), "acknowledged", 2, { environmentId: "shop", timestampMs: day + 4.5 * hour }),
    incidentEvent(id(5), "open", 2, {
      environmentId: "shop",
      timestampMs: day + 4.7 * hour,
      severity: "critical",
      zone: { zoneId: "door", name: "The door" },
      detail: { type: "intrusion_detection", personCount: 2, durationS: 9 },
    }),
  ])
})

describe("analytics on a real store", () => {
  let database: TestDatabase
  let runtime: ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof layerStores>>, unknown>
  let gateway: Gateway
  let contract: Contract
  let token: string

  beforeAll(async () => {
    database = await embeddedDatabase()
    runtime = ManagedRuntime.make(layerStores(database.location))
    await runtime.runPromise(life)
    const analytics = await runtime.runPromise(Analytics)
    const directory = await runtime.runPromise(Directory)
    gateway = await startGateway({}, { analytics, directory })
    contract = await readContract(gateway)
    token = await gateway.token("viewer")
  }, 120_000)
  afterAll(async () => {
    await gateway.stop()
    await runtime.dispose()
    await database.stop()
  })

  const ask = async (path: string, form: Form) => {
    const request = { method: "GET", path, form, token }
    const answer = await call(gateway.url, request)
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    expect(contract.disagreements(request, path.split("?")[0]!, answer)).toEqual([])
    return form === "bare" ? answer.json : answer.json.data
  }
  const refused = async (path: string, field: string) => {
    const request = { method: "GET", path, token }
    const answer = await call(gateway.url, request)
    expect(answer.status).toBe(422)
    expect(contract.disagreements(request, path.split("?")[0]!, answer)).toEqual([])
    expect(answer.json.error.details.field_errors.map((error: { field: string }) => error.field)).toContain(field)
    return answer.json.error.details.field_errors[0].message
  }
  const times = "start_time=2026-01-05T00:00:00Z&end_time=2026-01-05T06:00:00Z"

  it.each([
    ["begins", "2026-01-05T00:00:30Z", "2026-01-05T10:00:00Z"],
    ["ends", "2026-01-04T16:00:30Z", "2026-01-05T04:00:30Z"],
  ])("metrics have the rate of a steady room also where the range %s within a point", async (_, start, end) => {
    const { historical } = await ask(`/metrics?start_time=${start}&end_time=${end}`, "bare")
    const rates = historical.map(({ frames_per_second }: { readonly frames_per_second: number }) => frames_per_second)
    expect(rates.length).toBeGreaterThan(100)
    expect(new Set(rates)).toEqual(new Set([10]))
  })

  describe.each(forms)("in the %s form", (form) => {
    it("healthcare", async () => {
      const body = await ask("/analytics/healthcare?period=day&date=2026-01-05", form)
      expect(body).toMatchObject({
        period: "day",
        date: "2026-01-05",
        time_period: { start: "2026-01-05T00:00:00.000Z", end: "2026-01-06T00:00:00.000Z", duration_hours: 24 },
        environment_id: null,
        provenance: { frames: 180_000, live: 0.8, replay: 0, simulated: 0.2 },
        metrics: {
          fall_events: {
            count: 1,
            events: [{
              timestamp: "2026-01-05T04:30:00.000Z",
              person_id: 7,
              severity: "high",
              response_time_seconds: 20,
              location: { x: 1.5, y: 2.25 },
              status: "acknowledged",
              reason: null,
            }],
          },
          activity_summary: {
            walking_minutes: 120,
            sitting_minutes: 0,
            lying_minutes: 240,
            standing_minutes: 0,
            unknown_minutes: 0,
          },
          sleep_quality: { total_sleep_hours: 4, sleep_efficiency: 1, restlessness_events: 0, sleeps: 1 },
        },
        reasons: {},
      })
      // A third of the known time was walked, at half a metre a second.
      expect(body.metrics.mobility_score).toBeCloseTo((1 + 0.5 / 1.2) / 2, 4)
    })

    it("healthcare with selected metrics, and of a time without frames", async () => {
      const body = await ask(
        "/analytics/healthcare?period=hour&date=2026-01-09T10:30:00Z&metrics=mobility_score,fall_events",
        form,
      )
      expect(body).toMatchObject({ date: "2026-01-09", provenance: { frames: 0, live: null } })
      expect(body.metrics).toEqual({ fall_events: { count: 0, events: [] }, mobility_score: null })
      expect(Object.keys(body.reasons)).toEqual(["metrics.mobility_score"])
    })

    it("retail", async () => {
      const body = await ask("/analytics/retail?period=month&date=2026-01-20&environment_id=shop", form)
      expect(body).toMatchObject({
        period: "month",
        date: "2026-01-01",
        environment_id: "shop",
        metrics: {
          traffic: {
            total_visitors: 2,
            unique_visitors: 2,
            unique_visitors_bounds: { min: 2, max: 2 },
            peak_hour: "00:00",
            peak_count: 1,
            average_dwell_time_minutes: 180,
          },
          zones: [
            { zone_id: "door", zone_name: "The door", visitor_count: 1, avg_dwell_time_minutes: 1, conversion_rate: 1 },
            { zone_id: "till", zone_name: "The till", visitor_count: 1, avg_dwell_time_minutes: null, entries: 1 },
          ],
          conversion_funnel: { entrance: 1, product_interaction: null, checkout_area: null, purchase: 1 },
          heat_map: {
            high_traffic_areas: [{ zone: "The door", intensity: 1 }, { zone: "The till", intensity: 1 }],
          },
        },
      })
      expect(Object.keys(body.reasons).sort()).toEqual([
        "metrics.conversion_funnel.checkout_area",
        "metrics.conversion_funnel.product_interaction",
        "metrics.zones.avg_dwell_time_minutes",
        "metrics.zones.conversion_rate",
      ])
    })

    it("security", async () => {
      const body = await ask("/analytics/security?period=week&date=2026-01-07&crowd_size=2", form)
      expect(body).toMatchObject({
        period: "week",
        date: "2026-01-05",
        metrics: {
          intrusion_events: {
            count: 1,
            events: [{
              timestamp: "2026-01-05T04:42:00.000Z",
              zone: "The door",
              person_count: 2,
              threat_level: "critical",
              response_time_seconds: null,
              reason: "The alert was not acknowledged.",
            }],
          },
          perimeter_monitoring: {
            total_detections: 1,
            authorized_entries: 1,
            unauthorized_attempts: 1,
            false_positives: null,
          },
          crowd_analysis: { max_occupancy: 2, average_occupancy: 1.2, crowd_formation_events: 1 },
        },
      })
      expect(Object.keys(body.reasons)).toEqual(["metrics.perimeter_monitoring.false_positives"])
    })

    it("summary", async () => {
      const body = await ask(`/analytics/summary?${times}&environment_id=shop`, form)
      expect(body).toMatchObject({
        time_period: { start: "2026-01-05T00:00:00.000Z", end: "2026-01-05T06:00:00.000Z", duration_hours: 6 },
        detection_stats: {
          total_detections: 600 * (240 + 120),
          unique_persons: 2,
          average_confidence: 0.8,
          peak_occupancy: 2,
          peak_occupancy_time: "2026-01-05T04:00:01.000Z",
        },
        activity_stats: {
          total_movement_events: 3,
          fall_detections: 1,
          alert_count: 2,
          average_activity_level: 0.3333,
        },
        system_stats: {
          uptime_percentage: 83.3333,
          average_processing_time: 20,
          frames_processed: 180_000,
          error_count: null,
        },
      })
      expect(body.hourly_breakdown).toHaveLength(6)
      expect(body.hourly_breakdown[0]).toEqual({
        hour: "2026-01-05T00:00:00.000Z",
        detections: 36_000,
        unique_persons: 1,
        average_confidence: 0.8,
        frames: 36_000,
        tracks: 1,
      })
      expect(body.hourly_breakdown[5]).toMatchObject({ detections: null, frames: 0, average_confidence: null })
      expect(body.reasons["system_stats.error_count"]).toContain("since")
    })

    it("occupancy", async () => {
      const body = await ask(`/analytics/occupancy?${times}&interval=15min`, form)
      expect(body).toMatchObject({
        summary: {
          average_occupancy: 1.2,
          peak_occupancy: 2,
          peak_time: "2026-01-05T04:00:01.000Z",
          total_person_hours: 6,
        },
        distribution: { "0_persons": 0, "1_person": 80, "2_persons": 20, "3_persons": 0, "4_plus_persons": 0 },
      })
      expect(body.time_series).toHaveLength(24)
      expect(body.time_series[16]).toEqual({
        timestamp: "2026-01-05T04:00:00.000Z",
        occupancy: 2,
        confidence: 0.8,
        frames: 9000,
      })
      expect(body.time_series[23]).toMatchObject({ occupancy: null, confidence: null, frames: 0 })
    })

    it("events, by group, severity and page", async () => {
      const all = await ask(`/analytics/events?${times}`, form)
      expect(all.map(({ event_id }: { event_id: string }) => event_id)).toEqual([5, 4, 3, 2, 1].map(id))
      expect(all[1]).toMatchObject({
        type: "fall_detection",
        severity: "high",
        environment_id: "shop",
        person_id: 7,
        track_id: 7,
        confidence: 0.8123,
        location: { x: 1.5, y: 2.25 },
        metadata: {
          fall_duration: 2,
          impact_severity: "medium",
          recovery_detected: false,
          provenance: { source: "simulated" },
        },
        actions_taken: ["alert_raised", "alert_acknowledged"],
      })
      expect(all[3]).toMatchObject({
        type: "zone_left",
        metadata: { fall_duration: null, duration_seconds: 60, zone: { zone_id: "door" } },
        actions_taken: [],
      })
      expect(await ask(`/analytics/events?${times}&event_type=fall`, form)).toHaveLength(1)
      expect(await ask(`/analytics/events?${times}&event_type=alert`, form)).toHaveLength(2)
      expect(await ask(`/analytics/events?${times}&event_type=activity&environment_id=attic`, form)).toEqual([])
      expect(await ask(`/analytics/events?${times}&severity=critical`, form)).toHaveLength(1)
      const page = await ask(`/analytics/events?${times}&limit=2&before=${id(4)}`, form)
      expect(page.map(({ event_id }: { event_id: string }) => event_id)).toEqual([3, 2].map(id))
    })
  })

  it("rejects ranges that are reversed, too long or too fine, invalid dates and unknown fields", async () => {
    const reversed = "start_time=2026-01-05T06:00:00Z&end_time=2026-01-05T06:00:00Z"
    for (const path of ["/analytics/summary", "/analytics/occupancy", "/analytics/events"]) {
      expect(await refused(`${path}?${reversed}`, "end_time")).toBe("is not after start_time")
      expect(await refused(`${path}?start_time=2020-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z`, "end_time"))
        .toContain("366 days")
    }
    expect(
      await refused(
        "/analytics/occupancy?start_time=2026-01-01T00:00:00Z&end_time=2026-03-01T00:00:00Z&interval=5min",
        "end_time",
      ),
    ).toContain("10000 intervals")
    await refused(`/analytics/summary?start_time=2026-01-05T00:00:00Z`, "end_time")
    await refused("/analytics/healthcare?metrics=heart_rate", "metrics")
    await refused("/analytics/retail?period=year", "period")
    for (const date of ["2026-02-30", "yesterday", "2026-1-5", "9999-12-31"]) {
      await refused(`/analytics/security?date=${date}`, "date")
    }
    await refused("/analytics/security?crowd_size=1", "crowd_size")
    await refused("/analytics/retail?zone=door", "zone")
    expect(await refused(`/analytics/events?before=${id(99)}`, "before")).toBe("is no event")
  })

  it("answers 404 for an unknown environment, and 401 without credentials", async () => {
    for (const report of ["healthcare", "retail", "security", `summary?${times}`, `occupancy?${times}`, "events"]) {
      const path = `/analytics/${report}${report.includes("?") ? "&" : "?"}environment_id=cellar`
      const request = { method: "GET", path, token }
      const answer = await call(gateway.url, request)
      expect([answer.status, contract.disagreements(request, path.split("?")[0]!, answer)]).toEqual([404, []])
      expect((await call(gateway.url, { method: "GET", path: `/analytics/${report}` })).status).toBe(401)
    }
  })

  it("never answers 5xx, whatever the query", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("healthcare", "retail", "security", "summary", "occupancy", "events"),
        fc.dictionary(
          fc.constantFrom(
            "period",
            "date",
            "environment_id",
            "metrics",
            "start_time",
            "end_time",
            "interval",
            "before",
            "limit",
          ),
          fc.oneof(
            fc.string(),
            fc.constantFrom(
              "month",
              "shop",
              "0000-01-01",
              "9998-12-31",
              "0001-01-01T00:00:00Z",
              "9999-12-31T23:59:59Z",
              "1e9",
            ),
            fc.constantFrom("'; DROP TABLE events; --", id(1), "1min", "fall_events,fall_events"),
          ),
        ),
        async (report, query) => {
          const path = `/analytics/${report}?${new URLSearchParams(query)}`
          const answer = await call(gateway.url, { method: "GET", path, token })
          expect(answer.status, path).toBeLessThan(500)
        },
      ),
      { seed: 20260105, numRuns: 80 },
    ))
})
