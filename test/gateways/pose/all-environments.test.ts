import { Context, Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerStores } from "../../../deploy/composition/service.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { embeddedDatabase, type TestDatabase } from "../../harness/database.ts"
import { frameWith, someone, storeFrames } from "../../harness/stored-frames.ts"
import { type Answer, call, type Contract, readContract, type Request } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

const startMs = Date.UTC(2026, 0, 5, 9, 29, 0)
const iso = (ms: number) => new Date(ms).toISOString()
const framesOf = (environmentId: string, count: number, firstId: number) =>
  Array.from(
    { length: count },
    (_, i) => frameWith(firstId + i, startMs + i * 500, [someone(firstId)], { environmentId }),
  )
/** Frames of the same moments. */
const [room, attic] = [framesOf("living-room", 240, 1), framesOf("attic", 240, 1000)]
const endMs = startMs + 120_000

let database: TestDatabase
let gateway: Gateway
let contract: Contract
let token: string
let scope: Scope.Closeable

beforeAll(async () => {
  database = await embeddedDatabase()
  const stores = layerStores(database.location)
  scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(stores, scope))
  const runtime = ManagedRuntime.make(Layer.succeedContext(context))
  await runtime.runPromise(Effect.gen(function* () {
    yield* storeFrames(room)
    yield* storeFrames(attic)
    const directory = yield* Directory
    for (const environmentId of ["living-room", "attic"]) {
      yield* directory.enrol({ environmentId, name: environmentId, geometry: null }, [])
    }
  }))
  gateway = await startGateway({}, {
    history: Layer.succeedContext(context),
    analytics: Context.get(context, Analytics),
    directory: Context.get(context, Directory),
  })
  contract = await readContract(gateway)
  token = await gateway.token("viewer")
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await database.stop()
})

const send = async (request: Request, template: string): Promise<Answer> => {
  const answer = await call(gateway.url, { token, ...request })
  expect(contract.disagreements(request, template, answer)).toEqual([])
  return answer
}

const get = (form: Form, path: string, query: Record<string, string>) =>
  send({ method: "GET", path: `${path}?${new URLSearchParams(query)}`, form }, path)

type Entry = { readonly environment_id: string; readonly frame_id: number; readonly timestamp: string }
const named = ({ environment_id, frame_id }: Entry) => `${environment_id} ${frame_id}`
const inOrder = room.flatMap(({ frameId }, i) => [`attic ${attic[i]!.frameId}`, `living-room ${frameId}`])

describe("without environment_id", () => {
  it("history in the bare form has the frames of all environments, each with its name", async () => {
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      // An odd page ends between two frames of the same moment.
      const query: Record<string, string> = { limit: "77", ...(cursor === null ? {} : { cursor }) }
      const { json, status }: Answer = await get("bare", "/pose/history", query)
      expect([status, json.pagination.total_count]).toEqual([200, 480])
      seen.push(...json.poses.map(named))
      cursor = json.pagination.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(inOrder)
    const newest = await get("bare", "/pose/history", { limit: "3", order: "desc" })
    expect(newest.json.poses.map(named)).toEqual(inOrder.toReversed().slice(0, 3))
    const one = await get("bare", "/pose/history", { environment_id: "attic", limit: "1" })
    expect([one.json.poses.map(named), one.json.pagination.total_count]).toEqual([["attic 1000"], 240])
  })

  it("history in the envelope form has the persons of all environments", async () => {
    const seen: Array<string> = []
    for (let page = 1; page <= 7; page++) {
      const { json } = await get("envelope", "/pose/history", {
        start_time: iso(startMs),
        end_time: iso(endMs),
        page: String(page),
        per_page: "77",
      })
      expect(json.data.pagination).toMatchObject({ total: 480, total_pages: 7, has_next: page < 7 })
      seen.push(...json.data.poses.map(named))
    }
    expect(seen).toEqual(inOrder)
  })

  it.each(forms)("a query answers for each environment, by frames and by hours, in the %s form", async (form) => {
    const ask = async (query: Record<string, unknown>) => {
      const body = { query: { time_range: { start: iso(startMs), end: iso(endMs) }, ...query } }
      const { json } = await send({ method: "POST", path: "/pose/query", form, body }, "/pose/query")
      return form === "bare" ? json : json.data
    }
    const hours = await ask({ aggregation: { type: "hourly_summary", metrics: ["person_count"] } })
    expect(hours.query_metadata).toMatchObject({ environment_id: null, has_more: false })
    expect(hours.results).toEqual(["attic", "living-room"].map((environment_id) => ({
      timestamp: "2026-01-05T09:00:00.000Z",
      environment_id,
      person_count: 1,
      activities: { walking: 1 },
      provenance: { live: 240, replay: 0, simulated: 0 },
    })))
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const page: { results: Array<Entry>; query_metadata: { next_cursor: string | null } } = await ask({
        limit: 101,
        ...(cursor === null ? {} : { cursor }),
      })
      seen.push(...page.results.map(named))
      cursor = page.query_metadata.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(inOrder)
  })

  it.each(forms)("reports count the frames of all environments, in the %s form", async (form) => {
    const times = { start_time: iso(startMs), end_time: iso(startMs + 3_600_000) }
    const reported = async (query: Record<string, string>) => {
      const { json, status } = await get(form, "/analytics/occupancy", { ...times, ...query })
      expect(status).toBe(200)
      return form === "bare" ? json : json.data
    }
    const [all, one] = [await reported({}), await reported({ environment_id: "attic" })]
    expect([all.environment_id, one.environment_id]).toEqual([null, "attic"])
    expect(all.time_series[0].frames).toBe(2 * one.time_series[0].frames)
    expect([all.summary.average_occupancy, one.summary.average_occupancy]).toEqual([2, 1])
    for (const report of ["healthcare", "retail", "security"]) {
      const path = `/analytics/${report}`
      expect((await get(form, path, { period: "day", date: "2026-01-05" })).status).toBe(200)
    }
  })

  it("an unknown environment is rejected with the names of the known ones", async () => {
    const { json, status } = await get("bare", "/pose/history", { environment_id: "cellar" })
    expect(status).toBe(404)
    expect(json.error.message).toBe('There is no environment "cellar". Known environments: attic, living-room.')
  })
})
