/** The past of entities over REST and WebSocket: an answer is complete, or it is rejected. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../../protocols/domain/home.ts"
import { homeState } from "../../harness/home-states.ts"
import { json, said } from "./answers.ts"
import { servedClient, servedHome } from "./served.ts"
import { refused, result } from "./socket-client.ts"

/** An event of a stream of the past. */
interface Past {
  readonly events?: ReadonlyArray<{ readonly state: string }>
  readonly states?: Record<string, ReadonlyArray<{ readonly s: string }>>
}

const home = servedHome()
const client = servedClient(home)

const begins = "2020-01-01T00:00:00+00:00"
const day = `/${encodeURIComponent(begins)}`
const tooMany =
  "The period has more than 100000 states or 64 MiB of states. Ask for a shorter period or fewer entities."

/** Records changes of an entity, ten per second, whose states are 0 and 1 by turns. */
const record = (entityId: string, attributes: JsonObject, changes: number) =>
  home.run(Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const state = JSON.stringify(homeState(entityId, "0", { attributes }))
    yield* sql`
      INSERT INTO home_history (entity_id, sequence, at, body)
      SELECT ${entityId}::text, n, to_timestamp(us / 1000000::float8), (${state}::jsonb ||
        jsonb_build_object('state', (n % 2)::text, 'lastChangedUs', us, 'lastUpdatedUs', us, 'lastReportedUs', us))::text
      FROM (
        SELECT n, ${Date.parse(begins) * 1_000}::float8::bigint + n * 100000 AS us
        FROM generate_series(1::bigint, ${changes}::int4::bigint) AS n
      ) AS change`
  }))
const set = (entityId: string, attributes: JsonObject) =>
  home.ask("POST", `/api/states/${entityId}`, { body: { state: "5", attributes } })

const inBpm: JsonObject = { unit_of_measurement: "bpm" }

// The first of the entities alone has more states than an answer.
beforeAll(async () => {
  await record("sensor.a_busy", inBpm, 100_001)
  await record("switch.z", {}, 2)
  await set("sensor.a_busy", inBpm)
  await set("switch.z", {})
})

describe("the history of a period", () => {
  const entity_ids = ["sensor.a_busy", "switch.z"]
  const filter = `filter_entity_id=${entity_ids.join(",")}`

  it("with too many states is rejected", async () => {
    expect(json(await home.ask("GET", `/api/history/period${day}?${filter}`))).toEqual(said(400, tooMany))
    const asked = { start_time: begins, entity_ids }
    expect(await client.call("history/history_during_period", asked)).toMatchObject(refused("not_allowed", tooMany))
    const stream = await client.call("history/stream", asked)
    expect(stream).toMatchObject(refused("not_allowed", tooMany))
    expect(await client.call("unsubscribe_events", { subscription: stream.id })).toMatchObject(refused("not_found"))
  })

  it("that is shorter is complete", async () => {
    const end_time = "2020-01-01T00:00:01.050+00:00"
    const { json: found } = await home.ask(
      "GET",
      `/api/history/period${day}?${filter}&end_time=${encodeURIComponent(end_time)}`,
    )
    expect(found.map((states: ReadonlyArray<{ entity_id: string }>) => [states[0]!.entity_id, states.length])).toEqual([
      ["sensor.a_busy", 10],
      ["switch.z", 2],
    ])
    const answer = await client.call("history/history_during_period", { start_time: begins, end_time, entity_ids })
    expect(Object.keys(answer.result)).toEqual(entity_ids)
  })
})

it("a history leaves out changes of attributes only and the first state, if it is asked to", async () => {
  const id = "sensor.quiet"
  const write = (state: string, attributes: JsonObject) =>
    home.ask("POST", `/api/states/${id}`, { body: { state, attributes } })
  const first = (await write("1", {})).json.last_updated
  const between = (await write("1", { a: 1 })).json.last_updated
  await write("2", { a: 1 })
  const states = async (query: string, from = first) =>
    (await home.ask("GET", `/api/history/period/${encodeURIComponent(from)}?filter_entity_id=${id}${query}`)).json
      .map((each: ReadonlyArray<{ state: string }>) => each.map(({ state }) => state))
  expect(await states("")).toEqual([["1", "2"]])
  expect(await states("&significant_changes_only")).toEqual([["1", "2"]])
  expect(await states("&significant_changes_only=0")).toEqual([["1", "1", "2"]])
  expect(await states("&skip_initial_state", between)).toEqual([["2"]])
  expect(await states("", between)).toEqual([["1", "2"]])
})

describe("a stream of the past and of what follows", () => {
  const turn = (entityId: string, state: string) =>
    home.ask("POST", `/api/states/${entityId}`, { body: { state, attributes: {} } })

  it("has a change during its query once, and those after it", async () => {
    const start_time = new Date().toISOString()
    const entity_ids = ["Switch.During"]
    const streams = [
      ["logbook/event_stream", { start_time, entity_ids }, ({ events }: Past) => events!.map(({ state }) => state)],
      ["logbook/event_stream", { start_time }, ({ events }: Past) => events!.map(({ state }) => state)],
      [
        "history/stream",
        { start_time, entity_ids },
        ({ states }: Past) => Object.values(states!).flat().map(({ s }) => s),
      ],
    ] as const
    for (const [type, asked, statesOf, during] of streams.map((stream, i) => [...stream, `during ${i}`] as const)) {
      await turn("switch.during", "off")
      const { letGo, reached } = home.holdHistory()
      const answer = client.call(type, asked)
      await reached
      await turn("switch.during", during)
      letGo()
      const { id } = await answer
      const got = [...statesOf(await client.event(id)), ...statesOf(await client.event(id))]
      expect(got.filter((state) => state === during), type).toHaveLength(1)
      await turn("switch.during", "after")
      expect(statesOf(await client.event(id)), type).toEqual(["after"])
      await client.call("unsubscribe_events", { subscription: id })
    }
  })
})

describe("the logbook", () => {
  const off = { entity_id: "switch.z", state: "0" }

  it("does not read the numbers that it leaves out", async () => {
    for (const query of ["", "?entity=sensor.a_busy,switch.z"]) {
      expect((await home.ask("GET", `/api/logbook${day}${query}`)).json, query).toMatchObject([off])
    }
    const { result: events } = await client.call("logbook/get_events", { start_time: begins })
    expect(events.filter(({ when }: { when: number }) => when < Date.parse(begins) / 1_000 + 60)).toMatchObject([off])
    const stream = await client.call("logbook/event_stream", { start_time: begins, end_time: "2020-01-02T00:00:00Z" })
    expect(stream).toMatchObject(result(null))
    expect((await client.event(stream.id)).events).toMatchObject([off])
  })

  it("with too many states is rejected", async () => {
    // Without a unit it is a text, whose changes are logged.
    await set("sensor.a_busy", {})
    expect(json(await home.ask("GET", `/api/logbook${day}`))).toEqual(said(400, tooMany))
    for (const type of ["logbook/get_events", "logbook/event_stream"]) {
      expect(await client.call(type, { start_time: begins }), type).toMatchObject(refused("not_allowed", tooMany))
    }
  })
})
