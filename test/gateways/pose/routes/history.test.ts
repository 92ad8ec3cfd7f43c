import { Effect, ManagedRuntime } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { type Form, forms } from "../../../../protocols/pose-api/forms.ts"
import { embeddedDatabase, type TestDatabase } from "../../../harness/database.ts"
import { frameWith, someone, storeFrames, storeTrack } from "../../../harness/stored-frames.ts"
import { type Answer, call, type Contract, readContract, type Request } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"

const startMs = Date.UTC(2026, 0, 5, 9, 29, 50)
const iso = (ms: number) => new Date(ms).toISOString()
const frames = Array.from({ length: 300 }, (_, i) =>
  frameWith(
    i + 1,
    startMs + i * 100,
    [41, 42].slice(0, i % 3).map((id) => someone(id, { confidence: id === 41 ? 0.9 : 0.4 })),
  ))
const endMs = startMs + 30_000

let database: TestDatabase
let gateway: Gateway
let contract: Contract
let token: string

beforeAll(async () => {
  database = await embeddedDatabase()
  const stores = layerStores(database.location)
  const runtime = ManagedRuntime.make(stores)
  await runtime.runPromise(Effect.andThen(
    storeFrames(frames),
    storeTrack({ trackId: 41, firstMs: startMs, lastMs: endMs - 100, status: "active" }),
  ))
  await runtime.dispose()
  gateway = await startGateway({}, { history: stores })
  gateway.world.environments.push({ environmentId: "attic", name: "Attic", geometry: null })
  contract = await readContract(gateway)
  token = await gateway.token("viewer")
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await database.stop()
})

const send = async (request: Request, template: string): Promise<Answer> => {
  const answer = await call(gateway.url, { token, ...request })
  expect(contract.disagreements(request, template, answer)).toEqual([])
  return answer
}

const history = (form: Form, query: Record<string, string | number>): Promise<Answer> => {
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  )
  return send({ method: "GET", path: `/pose/history?${asked}`, form }, "/pose/history")
}

const fieldsOf = ({ json }: Answer): ReadonlyArray<string> =>
  json.error.details.field_errors?.map(({ field }: { field: string }) => field) ??
    json.error.details.errors.map(({ field }: { field: string }) => field)

describe("history in the bare form", () => {
  it("is read by cursor, each frame once, with the total of the first page", async () => {
    const seen: Array<number> = []
    let cursor: string | null = null
    do {
      const { json, status }: Answer = await history("bare", { limit: 70, ...(cursor === null ? {} : { cursor }) })
      expect(status).toBe(200)
      expect(json.pagination).toMatchObject({ total_count: 300, total_count_reason: null })
      expect(json.pagination.returned_count).toBe(json.poses.length)
      expect(json.pagination.has_more).toBe(json.pagination.next_cursor !== null)
      seen.push(...json.poses.map(({ frame_id }: { frame_id: number }) => frame_id))
      cursor = json.pagination.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(frames.map(({ frameId }) => frameId))
  })

  it("has keypoints in three dimensions if asked", async () => {
    const persons = async (query: Record<string, string>) =>
      (await history("bare", { limit: 3, ...query })).json.poses.flatMap((frame: { persons: Array<object> }) =>
        frame.persons
      )
    const [plain, full] = await Promise.all([persons({}), persons({ include_3d: "true", include_keypoints: "false" })])
    expect(plain.length).toBeGreaterThan(0)
    for (const person of plain) expect(person).not.toHaveProperty("keypoints_3d")
    for (const person of full) {
      expect(person).toHaveProperty("keypoints_3d")
      expect(person).not.toHaveProperty("keypoints")
    }
  })

  it("begins with the hundred oldest or newest frames", async () => {
    const oldest = await history("bare", {})
    expect(oldest.json.poses).toHaveLength(100)
    expect(oldest.json.poses[1]).toMatchObject({
      timestamp: iso(startMs + 100),
      persons: [{ id: 41, confidence: 0.9, tracking_info: { track_id: "41" }, keypoints: [{ name: "nose" }] }],
      metadata: { environment_id: "living-room", provenance: { source: "live" } },
    })
    expect(oldest.json.poses[1].metadata.provenance.age_ms).toBeGreaterThan(0)
    const newest = await history("bare", { order: "desc", limit: 1 })
    expect(newest.json.poses[0].frame_id).toBe(300)
  })

  it("filters by person and by confidence", async () => {
    const one = await history("bare", { person_id: 42, limit: 1000 })
    expect(one.json.poses).toHaveLength(100)
    expect(
      one.json.poses.every(({ persons }: { persons: Array<{ id: number }> }) =>
        persons.length === 1 && persons[0]!.id === 42
      ),
    ).toBe(true)
    const sure = await history("bare", { min_confidence: 0.5, limit: 3, include_keypoints: "false" })
    expect(sure.json.poses.map(({ persons }: { persons: Array<unknown> }) => persons.length)).toEqual([0, 1, 1])
    expect(sure.json.poses[1].persons[0]).not.toHaveProperty("keypoints")
    expect((await history("bare", { track_id: 42, confidence_threshold: 0.5 })).json).toMatchObject({
      poses: [],
      pagination: { total_count: 0, has_more: false, next_cursor: null },
    })
  })

  it("rejects a cursor that is damaged, cut, or of another query", async () => {
    const { json } = await history("bare", { limit: 10 })
    const cursor: string = json.pagination.next_cursor
    const other = cursor.startsWith("A") ? "B" : "A"
    const broken = [
      "x",
      ".",
      cursor.slice(0, -1),
      cursor.slice(1),
      other + cursor.slice(1),
      `${cursor}.`,
      "ä".repeat(9),
    ]
    for (const text of broken) {
      const answer = await history("bare", { cursor: text })
      expect([answer.status, fieldsOf(answer)]).toEqual([422, ["cursor"]])
    }
    expect((await history("bare", { cursor, person_id: 41 })).status).toBe(422)
    expect((await history("bare", { cursor, end_time: iso(endMs) })).status).toBe(422)
    expect((await history("bare", { cursor, limit: 20 })).json.poses[0].frame_id).toBe(11)
  })
})

describe("history in the envelope form", () => {
  const range = { start_time: iso(startMs), end_time: iso(endMs) }

  it("lists persons in numbered pages", async () => {
    const first = await history("envelope", { ...range, per_page: 40 })
    expect(first.json.data.pagination).toEqual({
      page: 1,
      per_page: 40,
      total: 300,
      total_reason: null,
      total_pages: 8,
      has_next: true,
      has_prev: false,
    })
    expect(first.json.data.poses).toHaveLength(40)
    expect(first.json.data.poses[2]).toMatchObject({
      timestamp: iso(startMs + 200),
      environment_id: "living-room",
      frame_id: 3,
      person_id: 42,
      track_id: 42,
      confidence: 0.4,
      bounding_box: { x: 0.1 },
      keypoints: [{ name: "nose" }],
      provenance: { source: "live" },
    })
    const last = await history("envelope", { ...range, per_page: 40, page: 8 })
    expect(last.json.data.poses).toHaveLength(20)
    expect(last.json.data.pagination).toMatchObject({ has_next: false, has_prev: true })
    const past = await history("envelope", { ...range, page: 1_000_000 })
    expect([past.status, past.json.data.poses]).toEqual([200, []])
    const one = await history("envelope", { ...range, track_id: 42, per_page: 1000 })
    expect([one.json.data.poses.length, one.json.data.pagination.total_pages]).toEqual([100, 1])
  })

  it("lists the frames of a range without persons", async () => {
    const { json } = await history("envelope", { start_time: iso(startMs), end_time: iso(startMs + 100) })
    expect(json.data.pagination).toMatchObject({ total: 1, total_pages: 1, has_next: false })
    expect(json.data.poses).toMatchObject([{
      frame_id: 1,
      person_id: null,
      location: null,
      person_reason: expect.stringMatching(/\w/),
      presence: { present: expect.anything() },
      provenance: { source: "live" },
    }])
  })
})

it.each(
  [
    ["bare", { page: 1 }, ["page"]],
    ["bare", { limit: 0 }, ["limit"]],
    ["bare", { limit: 1001 }, ["limit"]],
    ["bare", { start_time: "yesterday" }, ["start_time"]],
    ["bare", { start_time: iso(endMs), end_time: iso(startMs) }, ["end_time"]],
    ["bare", { person_id: 41, track_id: 42 }, ["track_id"]],
    ["bare", { confidence_threshold: 0.1, min_confidence: 0.2 }, ["min_confidence"]],
    ["bare", { person_id: "1;DROP TABLE tracks" }, ["person_id"]],
    ["bare", { person_id: 2 ** 31 }, ["person_id"]],
    ["bare", { environment_id: "' OR 1=1" }, ["environment_id"]],
    ["envelope", {}, ["start_time", "end_time"]],
    ["envelope", { start_time: iso(startMs), end_time: iso(endMs), limit: 5 }, ["limit"]],
    ["envelope", { start_time: iso(startMs), end_time: iso(endMs), page: 0 }, ["page"]],
    ["envelope", { start_time: iso(startMs), end_time: iso(startMs) }, ["end_time"]],
  ] as ReadonlyArray<[Form, Record<string, string | number>, ReadonlyArray<string>]>,
)("history in the %s form refuses %j", async (form, query, fields) => {
  const answer = await history(form, query)
  expect([answer.status, fieldsOf(answer)]).toEqual([422, fields])
})

it.each(forms)(
  "history of a time without frames is not found, and says of what time there are some (%s)",
  async (form) => {
    const requested = { start_time: "2020-01-01T00:00:00Z", end_time: "2020-01-02T00:00:00Z" }
    const answer = await history(form, requested)
    const { code, details } = answer.json.error
    expect([answer.status, code]).toEqual([404, form === "bare" ? "POSE_DATA_NOT_FOUND" : "RESOURCE_NOT_FOUND"])
    expect(details).toMatchObject({
      requested_range: { start: "2020-01-01T00:00:00.000Z", end: "2020-01-02T00:00:00.000Z" },
      available_range: { start: iso(startMs), end: iso(endMs - 100) },
    })
    const empty = await history(form, { ...requested, environment_id: "attic" })
    expect([empty.status, empty.json.error.details.available_range]).toEqual([404, null])
    expect(details.environment_id).toBeNull()
    const unknown = await history(form, { ...requested, environment_id: "cellar" })
    expect([unknown.status, unknown.json.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"])
  },
)

describe.each(forms)("a query in the %s form", (form) => {
  const ask = async (query: Record<string, unknown>) => {
    const time_range = { start: iso(startMs), end: iso(endMs) }
    const body = { query: { time_range, ...query } }
    const answer = await send({ method: "POST", path: "/pose/query", form, body }, "/pose/query")
    return { ...answer, data: form === "bare" ? answer.json : answer.json.data }
  }

  it("sums hours, with the requested metrics and the sources of the frames", async () => {
    const aggregation = {
      type: "hourly_summary",
      metrics: ["person_count", "avg_confidence", "activities", "max_person_count", "fall_count"],
    }
    const { data } = await ask({ aggregation })
    expect(data.results).toEqual([{
      timestamp: "2026-01-05T09:00:00.000Z",
      environment_id: "living-room",
      person_count: 1,
      avg_confidence: expect.closeTo(0.7333, 4),
      activities: { walking: 1 },
      max_person_count: 2,
      fall_count: 0,
      provenance: { live: 300, replay: 0, simulated: 0 },
    }])
    expect(data.query_metadata).toMatchObject({
      total_records_scanned: 300,
      cache_hit: false,
      environment_id: null,
      has_more: false,
      next_cursor: null,
    })
    const some = await ask({ aggregation: { type: "weekly_summary", metrics: ["max_person_count"] } })
    expect(some.data.results).toEqual([{
      timestamp: "2026-01-05T00:00:00.000Z",
      environment_id: "living-room",
      activities: { walking: 1 },
      max_person_count: 2,
      provenance: { live: 300, replay: 0, simulated: 0 },
    }])
  })

  it("lists filtered frames, and continues by cursor", async () => {
    const filters = { person_count: { min: 2, max: 2, weight: 3 }, activity: ["walking"], mood: "good" }
    const first = await ask({ filters, limit: 60 })
    expect(first.data.results).toHaveLength(60)
    expect(first.data.results[0]).toEqual({
      timestamp: iso(startMs + 200),
      environment_id: "living-room",
      frame_id: 3,
      person_count: 2,
      avg_confidence: 0.65,
      activities: { walking: 1 },
      provenance: { live: 1, replay: 0, simulated: 0 },
    })
    expect(first.data.query_metadata).toMatchObject({
      filters_applied: { person_count: { min: 2, max: 2 }, activity: ["walking"] },
      has_more: true,
    })
    const cursor = first.data.query_metadata.next_cursor
    const rest = await ask({ filters, limit: 60, cursor })
    expect([rest.data.results.length, rest.data.query_metadata.has_more]).toEqual([40, false])
    expect((await ask({ cursor })).status).toBe(422)
  })

  it("caches the past", async () => {
    const query = { time_range: { start: iso(startMs), end: iso(startMs + 20_000 + forms.indexOf(form)) } }
    const hits = []
    for (let i = 0; i < 2; i++) hits.push((await ask(query)).data.query_metadata)
    expect(hits.map(({ cache_hit, total_records_scanned }) => [cache_hit, total_records_scanned])).toEqual([
      [false, form === "bare" ? 200 : 201],
      [true, 0],
    ])
  })

  it.each<[Record<string, unknown>, string]>([
    [{ time_range: { start: iso(endMs), end: iso(startMs) } }, "query.time_range.end"],
    [{ time_range: { start: iso(startMs) } }, "query.time_range.end"],
    [{ filters: { person_count: { min: 3, max: 1 } } }, "query.filters.person_count.max"],
    [{ filters: { person_count: { min: -1 } } }, "query.filters.person_count.min"],
    [{ filters: { confidence: { min: 2 } } }, "query.filters.confidence.min"],
    [{ filters: { activity: ["flying"] } }, "query.filters.activity.0"],
    [{ aggregation: { type: "yearly_summary" } }, "query.aggregation.type"],
    [{ aggregation: { metrics: ["fall_count"] } }, "query.aggregation.metrics"],
    [{ limit: 1e9 }, "query.limit"],
    [{ cursor: "abc" }, "query.cursor"],
    [{ colour: "red" }, "query.colour"],
  ])("refuses %j", async (query, field) => {
    const answer = await ask(query)
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]])
  })

  it("returns a track that no actor has any more", async () => {
    const track = (path: string) =>
      send({ method: "GET", path: `/pose/tracking/${path}`, form }, "/pose/tracking/{track_id}")
    const { json } = await track("41?include_trajectory=true")
    const data = form === "bare" ? json : json.data
    expect(data).toMatchObject({ track_id: 41, status: "ended", total_frames: 42, trajectory_interval_seconds: null })
    expect(data.trajectory).toHaveLength(200)
    expect((await track("41?environment_id=attic")).status).toBe(404)
    const plain = await track("41")
    expect(form === "bare" ? plain.json : plain.json.data).not.toHaveProperty("trajectory")
  })
})

describe("bad input never ends in 500", { timeout: 30_000 }, () => {
  const strings = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.constantFrom(
      "true",
      "1e999",
      "-0",
      "NaN",
      "%00",
      "'; DROP TABLE pose_frames; --",
      "\u0000",
      "9999-12-31T23:59:59Z",
      "0000-01-01T00:00Z",
    ),
    fc.constantFrom("41", "1", "0.5", iso(startMs), iso(endMs), "living-room", "desc"),
  )
  const names = [
    ...["start_time", "end_time", "limit", "cursor", "order", "person_id", "track_id", "confidence_threshold"],
    ...[
      "min_confidence",
      "page",
      "per_page",
      "environment_id",
      "include_keypoints",
      "form",
      "__proto__",
      "constructor",
    ],
  ]

  it("in queries of the history", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fc.dictionary(fc.constantFrom(...names), strings),
        async (form, query) => {
          const answer = await call(gateway.url, {
            method: "GET",
            path: `/pose/history?${new URLSearchParams(query)}`,
            form,
            token,
          })
          expect([200, 404, 422]).toContain(answer.status)
        },
      ),
      { seed: 20260105, numRuns: 150 },
    ))

  const values = fc.oneof(
    strings,
    fc.jsonValue(),
    fc.record({ min: fc.oneof(fc.integer(), strings), max: fc.oneof(fc.integer(), fc.double()) }, { requiredKeys: [] }),
    fc.record({ type: fc.constantFrom("none", "daily_summary"), metrics: fc.array(strings) }, { requiredKeys: [] }),
  )

  it("in bodies of queries", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          time_range: fc.oneof(
            fc.constant({ start: iso(startMs), end: iso(endMs) }),
            fc.record({ start: strings, end: strings }),
            values,
          ),
          filters: fc.oneof(values, fc.dictionary(fc.constantFrom("person_count", "confidence", "activity"), values)),
          aggregation: values,
          limit: values,
          environment_id: values,
          cursor: values,
        }, { requiredKeys: ["time_range"] }),
        async (query) => {
          const answer = await call(gateway.url, { method: "POST", path: "/pose/query", token, body: { query } })
          expect([200, 404, 422]).toContain(answer.status)
        },
      ),
      { seed: 20260105, numRuns: 150 },
    ))
})
