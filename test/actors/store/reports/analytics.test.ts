import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeEach, describe, expect, it } from "vitest"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { ActivityEvent, EventDetail } from "../../../../protocols/domain/event.ts"
import { Analytics, type AnalyticsScope, type EventFilter } from "../../../../protocols/ports/analytics.ts"
import { incidentEvent, zoneEvent } from "../../../harness/events.ts"
import { storeMinutes, storeTracks } from "../../../harness/stored-minutes.ts"
import { useStores } from "../../../harness/stores.ts"

const midnight = Date.UTC(2026, 0, 5)
const minute = 60_000
const hour = 60 * minute
const scope = (over: Partial<AnalyticsScope> = {}): AnalyticsScope => ({
  fromMs: midnight,
  toMs: midnight + 24 * hour,
  environmentId: null,
  ...over,
})
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`

describe("reports on the embedded database", () => {
  const { run } = useStores(({ location }) => layerStores(location))
  beforeEach(() =>
    run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.all([
        sql`DELETE FROM pose_minutes`,
        sql`DELETE FROM tracks`,
        sql`DELETE FROM events`,
      ])))
  )

  it("keeps spans the sums of their minutes, whatever is written, changed and deleted", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const check = Effect.gen(function* () {
        const [kept] = yield* sql`
          WITH summed AS (
            SELECT environment_id, width_s, date_bin(make_interval(secs => width_s), minute, timestamptz '2001-01-01Z') AS span,
              count(*)::int AS minutes, sum(frames)::int AS frames, sum(person_frames)::int AS person_frames,
              sum(lying)::int AS lying, sum(confidence_sum)::numeric(12, 3) AS confidence, max(person_max)::int AS person_max
            FROM pose_minutes, (VALUES (300), (3600)) AS w (width_s) GROUP BY 1, 2, 3
          ), kept AS (
            SELECT environment_id, width_s, span, minutes::int, frames, person_frames, lying, confidence_sum::numeric(12, 3),
              person_max::int FROM pose_spans
          )
          SELECT (SELECT count(*)::int FROM kept) AS spans,
            (SELECT count(*)::int FROM (SELECT * FROM summed EXCEPT SELECT * FROM kept) AS missing) AS missing,
            (SELECT count(*)::int FROM (SELECT * FROM kept EXCEPT SELECT * FROM summed) AS extra) AS extra`
        return kept
      })
      yield* storeMinutes("home", midnight + 2 * minute, [1, 0, 2, 3, 0, 1, 1])
      yield* storeMinutes("shop", midnight + 4 * minute, [4, 4])
      expect(yield* check).toEqual({ spans: 6, missing: 0, extra: 0 })
      // A minute that goes on, as the writer adds to it, beside one that begins.
      yield* sql`
        INSERT INTO pose_minutes SELECT * FROM pose_minutes WHERE environment_id = 'home'
        ON CONFLICT (environment_id, minute) DO UPDATE SET frames = pose_minutes.frames + 10,
          person_frames = pose_minutes.person_frames + 70, person_max = 7, person_max_at = excluded.minute`
      yield* storeMinutes("home", midnight + 30 * minute, [2])
      expect(yield* check).toEqual({ spans: 7, missing: 0, extra: 0 })
      yield* sql`DELETE FROM pose_minutes WHERE minute < ${new Date(midnight + 5 * minute)} AND environment_id = 'home'`
      expect(yield* check).toEqual({ spans: 6, missing: 0, extra: 0 })
      yield* sql`DELETE FROM pose_minutes`
      expect(yield* check).toEqual({ spans: 0, missing: 0, extra: 0 })
    })))

  it("adds up the minutes that begin in a range, the edges of spans too", () =>
    run(Effect.gen(function* () {
      const analytics = yield* Analytics
      yield* storeMinutes("home", midnight, Array.from({ length: 20 }, (_, i) => i % 3))
      yield* storeMinutes("shop", midnight + 10 * minute, [5])
      const whole = yield* analytics.sums(scope())
      expect(whole.map(({ environmentId, frames, minutes, personFrames, personMax }) => ({
        environmentId,
        frames,
        minutes,
        personFrames,
        personMax,
      }))).toEqual([
        { environmentId: "home", frames: 12_000, minutes: 20, personFrames: 600 * 19, personMax: 2 },
        { environmentId: "shop", frames: 600, minutes: 1, personFrames: 3000, personMax: 5 },
      ])
      expect(whole[0]).toMatchObject({ frames0: 7 * 600, frames1: 7 * 600, frames2: 6 * 600, framesLive: 12_000 })
      // From 00:01:30 on and before 00:13:10: the minutes 2 to 13.
      const odd = scope({ fromMs: midnight + 90_000, toMs: midnight + 13 * minute + 10_000, environmentId: "home" })
      const [part] = yield* analytics.sums(odd)
      expect(part).toMatchObject({
        minutes: 12,
        personFrames: 600 * [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1].reduce((a, b) => a + b),
      })
      expect(yield* analytics.sums(scope({ fromMs: midnight + hour }))).toEqual([])
      expect(yield* analytics.peak(odd)).toEqual({ persons: 2, atMs: midnight + 2 * minute + 1000 })
      expect(yield* analytics.peak(scope({ environmentId: "nowhere" }))).toBe(null)
      expect(yield* analytics.peak(scope())).toEqual({ persons: 7, atMs: midnight + 10 * minute })
      // Cut before the shop's minute ends, and within a span: home's minutes 8 and 9 count once, at their most.
      const before = scope({ fromMs: midnight + 7 * minute, toMs: midnight + 10 * minute })
      expect(yield* analytics.peak(before)).toEqual({ persons: 2, atMs: midnight + 5 * minute })
    })))

  it("leaves frames that do not count persons out of means and peaks", () =>
    run(Effect.gen(function* () {
      const analytics = yield* Analytics
      yield* storeMinutes("dark", midnight, [null, null, null, null, null, null])
      yield* storeMinutes("home", midnight + 5 * minute, [null, 2, null, 1])
      const dark = scope({ environmentId: "dark" })
      expect(yield* analytics.peak(dark)).toBe(null)
      expect(yield* analytics.sums(dark)).toMatchObject([{ frames: 3600, frames0: 0, personFrames: 0 }])
      expect(yield* analytics.buckets(dark, 5 * minute)).toMatchObject([
        { frames: 3000, occupancy: null },
        { frames: 600, occupancy: null },
      ])
      expect(yield* analytics.buckets(scope(), hour)).toMatchObject([{ frames: 6000, occupancy: 1.5, personMax: 2 }])
      expect(yield* analytics.buckets(scope({ toMs: midnight + hour + minute }), 5 * minute)).toMatchObject([
        { frames: 3000, occupancy: null },
        { frames: 3000, occupancy: 1.5 },
      ])
      expect(yield* analytics.peak(scope())).toEqual({ persons: 2, atMs: midnight + 5 * minute })
      expect(yield* analytics.rates(dark, hour)).toMatchObject([{ frames: 3600, countedFrames: 0 }])
    })))

  it("gives spans as columns, in order of time", () =>
    run(Effect.gen(function* () {
      yield* storeMinutes("home", midnight + 3 * minute, [1, 1, 2, 2, 2, 2, 2, 4])
      expect(yield* (yield* Analytics).spans(scope())).toEqual([{
        environmentId: "home",
        startMs: [midnight, midnight + 5 * minute, midnight + 10 * minute],
        personFrames: [1200, 6000, 2400],
        lying: [0, 0, 0],
        personMax: [1, 2, 4],
      }])
    })))

  it("puts frames into buckets: occupancies of environments add up, each over its own frames", () =>
    run(Effect.gen(function* () {
      const analytics = yield* Analytics
      yield* storeMinutes("home", midnight, [1, 3])
      yield* storeMinutes("shop", midnight + 20 * minute, [4])
      const quarter = yield* analytics.buckets(scope(), 15 * minute)
      expect(quarter).toEqual([
        {
          startMs: midnight,
          frames: 1200,
          personFrames: 2400,
          confidenceSum: expect.closeTo(2400 * 0.8, 6),
          occupancy: 2,
          personMax: 3,
        },
        {
          startMs: midnight + 15 * minute,
          frames: 600,
          personFrames: 2400,
          confidenceSum: expect.closeTo(2400 * 0.8, 6),
          occupancy: 4,
          personMax: 4,
        },
      ])
      const five = yield* analytics.buckets(scope(), 5 * minute)
      expect(five.map(({ occupancy, startMs }) => [startMs, occupancy])).toEqual([[midnight, 2], [
        midnight + 20 * minute,
        4,
      ]])
      expect(yield* analytics.buckets(scope({ fromMs: midnight - minute }), 5 * minute)).toEqual(five)
      expect((yield* analytics.buckets(scope(), hour))[0]).toMatchObject({ occupancy: 6, personMax: 7, frames: 1800 })
      expect(yield* analytics.rates(scope(), minute)).toMatchObject([
        { startMs: midnight, frames: 600, personFrames: 600, processingMsSum: expect.closeTo(12_000) },
        { startMs: midnight + minute, personFrames: 1800 },
        { startMs: midnight + 20 * minute, personFrames: 2400 },
      ])
      // A week begins on a Monday, which the 5th of January 2026 is.
      const [week] = yield* analytics.buckets(scope({ fromMs: midnight - hour }), 7 * 24 * hour)
      expect(week!.startMs).toBe(midnight)
    })))

  it("sums tracks, and lists their lifetimes", () =>
    run(Effect.gen(function* () {
      const analytics = yield* Analytics
      yield* storeTracks("home", [
        { trackId: 1, firstMs: midnight - hour, lastMs: midnight + 10 * minute },
        { trackId: 2, firstMs: midnight + minute, lastMs: midnight + 3 * minute },
        { trackId: 3, firstMs: midnight + 90 * minute, lastMs: midnight + 150 * minute },
        { trackId: 4, firstMs: midnight + 23 * hour, lastMs: midnight + 25 * hour },
        { trackId: 5, firstMs: midnight + 25 * hour, lastMs: midnight + 26 * hour },
      ])
      expect(yield* analytics.movement(scope())).toEqual({
        tracks: 4,
        begun: 3,
        dwellS: expect.closeTo(120 + 3600 + 7200, 6),
        distanceM: expect.closeTo(15, 4),
        movingS: expect.closeTo(30, 4),
      })
      expect(yield* analytics.movement(scope({ environmentId: "shop" }))).toMatchObject({ tracks: 0, dwellS: 0 })
      expect([...yield* analytics.arrivals(scope())].sort()).toEqual([
        [midnight, 1],
        [midnight + hour, 1],
        [midnight + 23 * hour, 1],
      ])
      expect(yield* analytics.trackBuckets(scope(), hour)).toEqual([
        { startMs: midnight, begun: 2, ended: 2 },
        { startMs: midnight + hour, begun: 1, ended: 0 },
        { startMs: midnight + 2 * hour, begun: 0, ended: 1 },
        { startMs: midnight + 23 * hour, begun: 1, ended: 0 },
      ])
    })))

  const visit = (
    n: number,
    personId: number | null,
    zoneId: string,
    atMs: number,
    detail: EventDetail,
  ): ActivityEvent => ({
    ...zoneEvent(id(n)),
    environmentId: "shop",
    personId,
    timestampMs: midnight + atMs,
    zone: { zoneId, name: `The ${zoneId}` },
    detail,
  })
  const entered = (n: number, personId: number | null, zoneId: string, atMs: number) =>
    visit(n, personId, zoneId, atMs, { type: "zone_entered" })

  it("tells visits of zones, stages and entries", () =>
    run(Effect.gen(function* () {
      const analytics = yield* Analytics
      yield* (yield* EventStore).append([
        entered(1, 7, "door", 0),
        entered(2, 7, "shelf", minute),
        entered(3, 7, "till", 2 * minute),
        entered(4, 7, "shelf", 3 * minute),
        entered(5, 8, "door", 4 * minute),
        entered(6, 8, "shelf", 5 * minute),
        visit(7, 7, "shelf", 90_000, { type: "zone_left", dwellS: 30 }),
        visit(8, 8, "shelf", 6 * minute, { type: "zone_left", dwellS: 60 }),
        visit(9, 9, "yard", 6 * minute, { type: "zone_left", dwellS: 5 }),
        // An intrusion from the third minute to the fifth, and one that is not over, elsewhere.
        incidentEvent(id(10), "cleared", 3, {
          environmentId: "shop",
          timestampMs: midnight + 3 * minute,
          detail: { type: "intrusion_detection", personCount: 2, durationS: 120 },
          incident: {
            key: "intrusion:anywhere",
            status: "cleared",
            raisedMs: midnight + 3 * minute,
            acknowledgedBy: null,
            acknowledgedMs: null,
            endedMs: midnight + 5 * minute,
            resolution: "left",
          },
        }),
        incidentEvent(id(11), "open", 2, {
          environmentId: "attic",
          timestampMs: midnight,
          detail: { type: "intrusion_detection", personCount: 1, durationS: 0 },
        }),
      ])
      const key = (zoneId: string) => ({ environmentId: "shop", zoneId })
      expect(yield* analytics.zoneVisits(scope(), [key("till")])).toEqual([
        { ...key("door"), name: "The door", visitors: 2, entries: 2, buyers: 1, left: 0, dwellS: 0 },
        { ...key("shelf"), name: "The shelf", visitors: 2, entries: 3, buyers: 1, left: 2, dwellS: 90 },
        { ...key("till"), name: "The till", visitors: 1, entries: 1, buyers: 1, left: 0, dwellS: 0 },
        { ...key("yard"), name: "The yard", visitors: 0, entries: 0, buyers: 0, left: 1, dwellS: 5 },
      ])
      // Who first comes to the shelf after the till has not bought because of it.
      const [door, shelf] = yield* analytics.zoneVisits(scope({ fromMs: midnight + 2 * minute + 1 }), [key("till")])
      expect([door!.buyers, shelf!.buyers]).toEqual([0, 0])
      expect(
        yield* analytics.stages(scope(), [
          { ...key("door"), role: "entrance" },
          { ...key("shelf"), role: "product" },
          { ...key("yard"), role: "product" },
          { ...key("till"), role: "purchase" },
        ]),
      ).toEqual({ entrance: 2, product: 2, checkout: 0, purchase: 1 })
      // Of those whom no id tells apart only entries are counted.
      yield* (yield* EventStore).append([entered(12, null, "hall", 0), entered(13, 7, "hall", minute)])
      const visits = yield* analytics.zoneVisits(scope(), [key("till")])
      expect(visits.find(({ zoneId }) => zoneId === "hall")).toEqual(
        { ...key("hall"), name: "The hall", visitors: null, entries: 2, buyers: null, left: 0, dwellS: 0 },
      )
      expect(visits.find(({ zoneId }) => zoneId === "door")).toMatchObject({ visitors: 2, buyers: 1 })
      const stages = [{ ...key("hall"), role: "product" }, { ...key("shelf"), role: "product" }] as const
      expect(yield* analytics.stages(scope(), stages)).toMatchObject({ product: null, entrance: 0 })
      expect(yield* analytics.stages(scope(), [])).toEqual({ entrance: 0, product: 0, checkout: 0, purchase: 0 })
      expect(yield* analytics.entries(scope(), [key("door")])).toEqual({ all: 2, intruding: 1 })
      expect(yield* analytics.entries(scope(), [key("door"), key("shelf")])).toEqual({ all: 5, intruding: 3 })
      expect(yield* analytics.entries(scope(), [{ environmentId: "attic", zoneId: "door" }])).toEqual({
        all: 0,
        intruding: 0,
      })
    })))

  it("counts and lists events", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const analytics = yield* Analytics
      const fall = (n: number, status: "open" | "withdrawn" | "acknowledged") =>
        incidentEvent(id(n), status, n, { environmentId: "shop", timestampMs: midnight + n * minute })
      yield* (yield* EventStore).append([
        fall(1, "open"),
        fall(2, "withdrawn"),
        fall(3, "acknowledged"),
        entered(4, 7, "door", 3 * minute),
        visit(5, 7, "door", 5 * minute, { type: "activity_change", from: "standing", to: "walking" }),
      ])
      expect(yield* analytics.eventCounts(scope())).toEqual({ movements: 2, falls: 3, alerts: 2 })
      expect(yield* analytics.eventCounts(scope({ environmentId: "home" }))).toEqual({
        movements: 0,
        falls: 0,
        alerts: 0,
      })
      // Whole hours are counted as they are written: a change and a deletion too, and the edges agree with them.
      yield* (yield* EventStore).append([fall(2, "open"), { ...fall(2, "open"), revision: 9 }])
      expect(yield* analytics.eventCounts(scope())).toEqual({ movements: 2, falls: 3, alerts: 3 })
      const odd = scope({ fromMs: midnight + minute + 1, toMs: midnight + 5 * minute })
      expect(yield* analytics.eventCounts(odd)).toEqual({ movements: 1, falls: 2, alerts: 2 })
      yield* sql`DELETE FROM events WHERE event_id = ${id(2)}::uuid`
      expect(yield* analytics.eventCounts(scope())).toEqual({ movements: 2, falls: 2, alerts: 2 })
      yield* (yield* EventStore).append([fall(2, "withdrawn")])
      const falls = yield* analytics.incidents(scope(), "fall_detection", 2)
      expect(falls).toEqual({ count: 3, newest: [fall(3, "acknowledged"), fall(2, "withdrawn")] })

      const ids = (filter: Partial<EventFilter>) =>
        Effect.map(
          analytics.events(scope(), {
            types: null,
            alerted: false,
            severity: null,
            before: null,
            limit: 100,
            ...filter,
          }),
          (events) => events?.map(({ eventId }) => Number(eventId.slice(-2))) ?? null,
        )
      // Two of one time are in order of their ids, so that pages have no gap between them.
      expect(yield* ids({})).toEqual([5, 4, 3, 2, 1])
      expect(yield* ids({ limit: 2 })).toEqual([5, 4])
      expect(yield* ids({ limit: 2, before: id(4) })).toEqual([3, 2])
      expect(yield* ids({ alerted: true })).toEqual([3, 1])
      expect(yield* ids({ types: ["zone_entered"] })).toEqual([4])
      expect(yield* ids({ severity: "low" })).toEqual([5, 4])
      expect(yield* ids({ before: id(77) })).toBe(null)
      expect(yield* ids({ before: "'; DROP TABLE events; --" })).toBe(null)
    })))

  it("reads events of versions that did not keep the time of an acknowledgement, and leaves out what is none", () =>
    run(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const event = incidentEvent(id(1), "acknowledged", 1, { timestampMs: midnight })
      yield* (yield* EventStore).append([event, incidentEvent(id(2), "open", 1, { timestampMs: midnight })])
      yield* sql`UPDATE events SET body = body #- '{incident,acknowledgedMs}' WHERE event_id = ${id(1)}::uuid`
      yield* sql`UPDATE events SET body = body - 'severity' WHERE event_id = ${id(2)}::uuid`
      const { count, newest } = yield* (yield* Analytics).incidents(scope(), "fall_detection", 10)
      expect(count).toBe(2)
      expect(newest).toEqual([{ ...event, incident: { ...event.incident, acknowledgedMs: null } }])
    })))
})
