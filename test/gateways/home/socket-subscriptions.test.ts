/**
 * Subscriptions of the home WebSocket.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { token } from "./harness.ts"
import { servedClient, servedHome } from "./served.ts"
import { connectHome, refused, result } from "./socket-client.ts"

const home = servedHome()
const client = servedClient(home)

const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })

describe("subscriptions to events", () => {
  it("[125] [133] publish one type until they end", async () => {
    const { id } = await client.call("subscribe_events", { event_type: "wanted" })
    await client.call("fire_event", { event_type: "unwanted" })
    await client.call("fire_event", { event_type: "wanted" })
    expect((await client.eventsUntilNow(id)).map(({ event_type }) => event_type)).toEqual(["wanted"])
    expect(await client.call("unsubscribe_events", { subscription: id })).toMatchObject(result(null))
    await client.call("fire_event", { event_type: "wanted" })
    expect(await client.eventsUntilNow(id)).toHaveLength(1)
    for (const subscription of [id, 999_999]) {
      expect(await client.call("unsubscribe_events", { subscription })).toMatchObject(
        refused("not_found", "Subscription not found."),
      )
    }
  })

  it("[126] [128] [130] [131] publish all events but reports, with the old and the new state", async () => {
    const every = await client.call("subscribe_events")
    const star = await client.call("subscribe_events", { event_type: "*" })
    const reports = await client.call("subscribe_events", { event_type: "state_reported" })
    const id = "sensor.reported"
    const first = (await set(id, { state: "1", attributes: { a: 1, b: 2 } })).json
    const same = (await set(id, '{"attributes":{"b":2,"a":1},"state":"1"}')).json
    const forced = (await set(id, { state: "1", attributes: { a: 1, b: 2 }, force_update: true })).json
    const other = (await set(id, { state: "1", attributes: { a: 2 } })).json
    await home.ask("DELETE", `/api/states/${id}`)
    const reported = await client.eventsUntilNow(every.id)
    expect(reported.map(({ data, event_type }) => [event_type, data.old_state, data.new_state])).toEqual([
      ["state_changed", null, first],
      ["state_changed", same, forced],
      ["state_changed", forced, other],
      ["state_changed", other, null],
    ])
    expect(reported.map(({ time_fired }) => time_fired).slice(0, 3)).toEqual(
      [first, forced, other].map(({ last_updated }) => last_updated),
    )
    expect(reported.map(({ origin }) => origin)).toEqual(["LOCAL", "LOCAL", "LOCAL", "LOCAL"])
    expect(forced.last_changed > first.last_changed).toBe(true)
    expect(other.last_changed).toBe(forced.last_changed)
    // A removal over REST has no user in its context.
    expect(reported[3].context).toMatchObject({ parent_id: null, user_id: null })
    expect(await client.eventsUntilNow(star.id)).toEqual(reported)
    expect((await client.eventsUntilNow(reports.id)).map(({ data }) => data)).toEqual([{
      entity_id: id,
      last_reported: same.last_reported,
      old_last_reported: first.last_reported,
      new_state: same,
    }])
    for (const { id: subscription } of [every, star, reports]) await client.call("unsubscribe_events", { subscription })
  })
})

describe("the number of subscriptions", () => {
  it("is limited, whichever command begins them, and those that begin count", async () => {
    const own = await connectHome(home.url, token)
    const sent = 1_030
    const answers = new Promise<ReadonlyArray<{ readonly success: boolean }>>((resolve) => {
      const received: Array<{ readonly success: boolean }> = []
      own.socket.on("message", (data) => {
        const message = JSON.parse(String(data))
        if (message.type !== "result" || received.push(message) < sent) return
        resolve(received)
      })
    })
    for (let id = 1; id <= sent; id++) own.send({ id, type: "render_template", template: "{{ 1 }}" })
    expect((await answers).filter(({ success }) => success)).toHaveLength(1_024)

    let lastId = sent
    const call = (type: string, fields: object = {}) => {
      const id = ++lastId
      own.send({ id, type, ...fields })
      return own.next((message) => message.id === id && message.type === "result")
    }
    const start_time = new Date(0).toISOString()
    const begun = [
      ["render_template", { template: "{{ 1 }}" }],
      ["history/stream", { start_time, entity_ids: ["sensor.a"] }],
      ["logbook/event_stream", { start_time, entity_ids: ["sensor.a"] }],
      ["subscribe_events", {}],
      ["subscribe_entities", {}],
      ["subscribe_trigger", { trigger: { trigger: "state", entity_id: "sensor.a" } }],
    ] as const
    const refusal = refused("not_allowed", "Too many subscriptions: at most 1024. Unsubscribe first.")
    for (const [type, fields] of begun) expect(await call(type, fields), type).toMatchObject(refusal)
    // Commands that do not subscribe are performed.
    expect(await call("get_panels")).toMatchObject(result({}))
    let subscription = 1
    for (const [type, fields] of begun) {
      expect(await call("unsubscribe_events", { subscription })).toMatchObject(result(null))
      const answer = await call(type, fields)
      expect(answer, type).toMatchObject(result(null))
      subscription = answer.id
    }
    own.socket.terminate()
  })
})

describe("subscriptions to entities", () => {
  const seconds = (time: string): number =>
    Number((Date.parse(`${time.slice(0, 19)}Z`) / 1000 + Number(`0${time.slice(19, -6)}`)).toFixed(6))

  it("[135] [136] [138] [140] publish all states first, then the differences", async () => {
    const id = "sensor.compressed"
    const first = (await set(id, { state: "1", attributes: { a: 1, b: { c: [1] }, d: 2 } })).json
    const { id: subscription, ...answer } = await client.call("subscribe_entities")
    expect(answer).toEqual(result(null))
    const { a } = await client.event(subscription)
    expect(Object.keys(a)).toEqual(
      (await client.call("get_states")).result.map(({ entity_id }: { entity_id: string }) => entity_id),
    )
    expect(a[id]).toEqual({ s: "1", a: first.attributes, c: first.context, lc: seconds(first.last_changed) })

    const second = (await set(id, { state: "1", attributes: { a: 2, b: { c: [1] }, e: 3 } })).json
    expect(await client.event(subscription)).toEqual({
      c: {
        [id]: { "+": { lu: seconds(second.last_updated), c: second.context.id, a: { a: 2, e: 3 } }, "-": { a: ["d"] } },
      },
    })
    await set(id, { state: "1", attributes: { a: 2, b: { c: [1] }, e: 3 } })
    const third = (await set(id, { state: "2", attributes: { a: 2, b: { c: [1] }, e: 3 } })).json
    // The identical write between them has published nothing.
    expect(await client.event(subscription)).toEqual({
      c: { [id]: { "+": { s: "2", lc: seconds(third.last_changed), c: third.context.id } } },
    })
    await home.ask("DELETE", `/api/states/${id}`)
    expect(await client.event(subscription)).toEqual({ r: [id] })
    const again = (await set(id, { state: "3" })).json
    expect(await client.event(subscription)).toEqual({
      a: { [id]: { s: "3", a: {}, c: again.context, lc: seconds(again.last_changed) } },
    })
    await client.call("unsubscribe_events", { subscription })
  })

  it("[136] a context without a user is only its id, and a changed context is published in parts", async () => {
    const id = "sensor.contexts"
    const write = (state: string, userId: string | null) =>
      home.run(Effect.gen(function* () {
        const runtime = yield* HomeRuntime
        const context = yield* runtime.context(userId)
        yield* runtime.write(id, { state, attributes: {}, forceUpdate: false, context })
        return context
      }))
    const first = await write("1", null)
    const { id: subscription } = await client.call("subscribe_entities", { entity_ids: [id] })
    expect((await client.event(subscription)).a[id].c).toBe(first.id)
    const second = await write("2", "somebody")
    expect((await client.event(subscription)).c[id]["+"].c).toEqual({ user_id: "somebody", id: second.id })
    const third = await write("3", "somebody")
    expect((await client.event(subscription)).c[id]["+"].c).toBe(third.id)
    const updated = await home.ask("POST", `/api/states/${id}`, { body: { state: "3", attributes: { a: 1 } } })
    const late = await client.call("subscribe_entities", { entity_ids: [id] })
    expect((await client.event(late.id)).a[id].lu).toBe(seconds(updated.json.last_updated))
    for (const { id: one } of [late, { id: subscription }]) {
      await client.call("unsubscribe_events", { subscription: one })
    }
  })

  it("[141] publish only the filtered entities", async () => {
    for (const id of ["light.one", "light.two", "switch.one"]) await set(id, { state: "0" })
    const filters: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [{ entity_ids: ["light.one", "light.unknown"] }, ["light.one"]],
      [{ entity_ids: "switch.one" }, ["switch.one"]],
      [{ entity_ids: ["light.unknown"] }, []],
      [{ include: { domains: ["light"] }, exclude: { entities: ["light.two"] } }, ["light.one"]],
      [{ include: { entity_globs: ["*.one"] } }, ["light.one", "switch.one"]],
      [{ include: { domains: "switch", entities: "light.two" } }, ["light.two", "switch.one"]],
    ]
    const ids: Array<number> = []
    for (const [filter, wanted] of filters) {
      const { id } = await client.call("subscribe_entities", filter)
      ids.push(id)
      const { a } = await client.event(id)
      const known = Object.keys(a).filter((id) => /^(light|switch)\.(one|two)$/.test(id))
      expect(known, JSON.stringify(filter)).toEqual(wanted)
      if (!JSON.stringify(filter).includes("glob")) expect(Object.keys(a)).toEqual(wanted)
    }
    for (const id of ["light.one", "light.two", "switch.one"]) await set(id, { state: "1" })
    for (const [i, [filter, wanted]] of filters.entries()) {
      const changed = (await client.eventsUntilNow(ids[i]!)).flatMap(({ c }) => c === undefined ? [] : Object.keys(c))
      expect(changed, JSON.stringify(filter)).toEqual(wanted)
    }
    for (const subscription of ids) await client.call("unsubscribe_events", { subscription })
  })

  it("match patterns in a time that does not depend on the number of their stars", async () => {
    const id = `sensor.${"i".repeat(248)}`
    await set(id, { state: "1" })
    const matched = async (glob: string) => {
      const { id: subscription } = await client.call("subscribe_entities", { include: { entity_globs: glob } })
      const { a } = await client.event(subscription)
      await client.call("unsubscribe_events", { subscription })
      return Object.hasOwn(a, id)
    }
    const stars = "*i".repeat(30)
    const globs = [
      `${stars}*x`,
      `${stars}*`,
      "sensor.i*i",
      "s?nsor.*",
      "sensor.i?",
      "**",
      "*.ii",
      "SENSOR.*",
      "sensor.[",
    ]
    expect(await Promise.all(globs.map(matched))).toEqual([false, true, true, true, false, true, false, true, false])
    await home.ask("DELETE", `/api/states/${id}`)
  })

  it("have no gap and no duplicate when writes are in progress as they begin", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `sensor.busy_${i}`)
    const writes = ids.map(async (id) => {
      for (let i = 1; i <= 10; i++) await set(id, { state: String(i) })
    })
    const { id: subscription } = await client.call("subscribe_entities", { include: { entity_globs: "sensor.busy_*" } })
    const { a } = await client.event(subscription)
    await Promise.all(writes)
    const seen = new Map(Object.entries<{ s: string }>(a).map(([id, { s }]) => [id, [Number(s)]]))
    for (const event of await client.eventsUntilNow(subscription)) {
      if (event.a === a) continue
      for (const [id, { s }] of Object.entries<{ s: string }>(event.a ?? {})) seen.set(id, [Number(s)])
      for (const [id, change] of Object.entries<{ "+": { s: string } }>(event.c ?? {})) {
        seen.get(id)!.push(Number(change["+"].s))
      }
    }
    for (const id of ids) {
      const from = seen.get(id)![0]!
      expect(seen.get(id), id).toEqual(Array.from({ length: 11 - from }, (_, i) => from + i))
    }
    await client.call("unsubscribe_events", { subscription })
  })
})

describe("triggers of states", () => {
  it("fire on matching changes, with the old and the new state", async () => {
    const id = "binary_sensor.door"
    const first = (await set(id, { state: "off", attributes: { level: 1 } })).json
    const subscribe = async (fields: object) =>
      (await client.call("subscribe_trigger", { trigger: { platform: "state", entity_id: id, ...fields } })).id
    const any = await subscribe({})
    const opened = await subscribe({ from: "off", to: ["on", "open"] })
    const changed = await subscribe({ to: null })
    const level = await subscribe({ attribute: "level" })
    const second = (await set(id, { state: "on", attributes: { level: 1 } })).json
    await set(id, { state: "on", attributes: { level: 2 } })
    await set(id, { state: "off", attributes: { level: 2 } })
    await set("binary_sensor.window", { state: "on" })
    const states = async (subscription: number) =>
      (await client.eventsUntilNow(subscription)).map(({ variables: { trigger } }) => trigger.to_state.state)
    expect(await states(any)).toEqual(["on", "on", "off"])
    expect(await states(opened)).toEqual(["on"])
    expect(await states(changed)).toEqual(["on", "off"])
    expect(await states(level)).toEqual(["on"])
    const [event] = await client.eventsUntilNow(opened)
    expect(event).toEqual({
      variables: {
        trigger: {
          id: "0",
          idx: "0",
          alias: null,
          platform: "state",
          entity_id: id,
          for: null,
          attribute: null,
          description: `state of ${id}`,
          from_state: first,
          to_state: second,
        },
      },
      context: second.context,
    })
  })

  it("fire for a number of an attribute, and take texts only for a state", async () => {
    const id = "climate.hall"
    await set(id, { state: "heat", attributes: { temperature: 20 } })
    const trigger = (fields: object) => ({ trigger: { platform: "state", entity_id: id, ...fields } })
    const { id: subscription } = await client.call("subscribe_trigger", trigger({ attribute: "temperature", to: 21 }))
    expect((await set(id, '{"state":"heat","attributes":{"temperature":21.0}}')).status).toBe(200)
    expect(await client.eventsUntilNow(subscription)).toHaveLength(1)
    expect(await client.call("subscribe_trigger", trigger({ to: 21 }))).toMatchObject(refused("invalid_format"))
    await client.call("unsubscribe_events", { subscription })
  })

  it("wait for the duration of `for`, unless the subscription ends", async () => {
    const id = "binary_sensor.gate"
    await set(id, { state: "closed" })
    const trigger = (fields: object) => ({ trigger: { trigger: "state", entity_id: id, to: "open", ...fields } })
    const held = (await client.call("subscribe_trigger", trigger({ for: { milliseconds: 20 } }))).id
    const never = (await client.call("subscribe_trigger", trigger({ for: "00:10:00" }))).id
    const opened = (await set(id, { state: "open" })).json
    const event = await client.event(held)
    expect(event).toMatchObject({
      variables: {
        trigger: { for: { __type: "<class 'datetime.timedelta'>", total_seconds: 0.02 }, to_state: opened },
      },
      context: opened.context,
    })
    expect(await client.call("unsubscribe_events", { subscription: never })).toMatchObject({ success: true })
    expect(await client.eventsUntilNow(never)).toEqual([])
    for (const wrong of ["soon", "{{ 5 }}", null, -1, { weeks: 1 }]) {
      const answer = await client.call("subscribe_trigger", trigger({ for: wrong }))
      expect(answer, JSON.stringify(wrong)).toMatchObject({ success: false, error: { code: "invalid_format" } })
    }
    const many = Array.from({ length: 1_025 }, (_, n) => `sensor.n${n}`)
    expect(await client.call("subscribe_trigger", trigger({ entity_id: many, for: 1 })))
      .toMatchObject({ success: false, error: { code: "not_allowed" } })
  })
})
