/**
 * Commands of the home WebSocket: their answers and effects.
 * Numbers in brackets are those of a list of observed behaviour of Home Assistant.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { manifest, token } from "./harness.ts"
import { servedClient, servedHome } from "./served.ts"
import { connectHome, refused, result } from "./socket-client.ts"

const home = servedHome()
const client = servedClient(home)

const set = (entityId: string, body: unknown) => home.ask("POST", `/api/states/${entityId}`, { body })
const authenticated = () => connectHome(home.url, token)

describe("commands that read", () => {
  it("[108] states, configuration and services are the same as over REST", async () => {
    await set("sensor.asked", { state: "1" })
    expect((await client.call("get_states")).result).toEqual((await home.ask("GET", "/api/states")).json)
    expect((await client.call("get_config")).result).toEqual((await home.ask("GET", "/api/config")).json)
    const { result: services } = await client.call("get_services")
    const list = (await home.ask("GET", "/api/services")).json
    expect(services).toEqual(
      Object.fromEntries(list.map(({ domain, services }: { domain: string; services: object }) => [domain, services])),
    )
    expect((await client.call("get_panels")).result).toEqual({})
  })

  it("[110] a user is an owner and an administrator", async () => {
    expect((await client.call("auth/current_user")).result).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: expect.any(String),
      is_owner: true,
      is_admin: true,
      credentials: [],
      mfa_modules: [],
    })
  })

  it("manifests are listed and found", async () => {
    expect((await client.call("manifest/list")).result).toEqual([manifest])
    expect((await client.call("manifest/list", { integrations: ["other"] })).result).toEqual([])
    expect((await client.call("manifest/get", { integration: "wavepose" })).result).toEqual(manifest)
    expect(await client.call("manifest/get", { integration: "other" })).toMatchObject(
      refused("not_found", "Integration not found"),
    )
  })

  it("the five registries list their entries and publish changes", async () => {
    const listened = await client.call("subscribe_events", { event_type: "device_registry_updated" })
    const device = {
      deviceId: "node7",
      identifiers: [["wavepose", "node7"]] as const,
      connections: [["mac", "aa:bb:cc:dd:ee:ff"]] as const,
      name: "Sensing node 7",
      nameByUser: null,
      manufacturer: "wavepose",
      model: "edge node",
      swVersion: "1.0",
      serialNumber: null,
      areaId: "hall",
      viaDeviceId: null,
      labels: [],
    }
    const entity = {
      entityId: "binary_sensor.hall_presence",
      uniqueId: "node7_presence",
      platform: "wavepose",
      name: null,
      originalName: "Presence",
      hasEntityName: true,
      icon: null,
      deviceId: "node7",
      areaId: null,
      labels: ["quiet"],
      entityCategory: "diagnostic" as const,
      translationKey: null,
    }
    const area = { areaId: "hall", name: "Hall", floorId: "ground", icon: null, picture: null, aliases: [], labels: [] }
    await home.run(Effect.gen(function* () {
      const registries = yield* HomeRegistries
      const context = yield* (yield* HomeRuntime).context(null)
      yield* registries.put("device", [device], context)
      yield* registries.put("device", [device], context)
      yield* registries.put("entity", [entity], context)
      yield* registries.put("area", [area], context)
      yield* registries.put(
        "floor",
        [{ floorId: "ground", name: "Ground", level: 0, icon: null, aliases: [] }],
        context,
      )
      yield* registries.put(
        "label",
        [{ labelId: "quiet", name: "Quiet", color: null, description: null, icon: null }],
        context,
      )
      yield* registries.put("device", [{ ...device, name: "Seven" }], context)
      yield* registries.remove("label", ["quiet", "unknown"], context)
    }))
    const reported = await client.eventsUntilNow(listened.id)
    expect(reported.map(({ data }) => data)).toEqual([
      { action: "create", device_id: "node7" },
      { action: "update", device_id: "node7" },
    ])
    const list = async (name: string) => (await client.call(`config/${name}_registry/list`)).result
    expect(await list("device")).toEqual([expect.objectContaining({
      id: "node7",
      identifiers: [["wavepose", "node7"]],
      connections: [["mac", "aa:bb:cc:dd:ee:ff"]],
      name: "Seven",
      name_by_user: null,
      area_id: "hall",
      sw_version: "1.0",
      config_entry_id: null,
      via_device_id: null,
    })])
    expect(await list("entity")).toEqual([expect.objectContaining({
      entity_id: entity.entityId,
      unique_id: entity.uniqueId,
      platform: "wavepose",
      device_id: "node7",
      labels: ["quiet"],
      disabled_by: null,
      hidden_by: null,
      options: {},
      categories: {},
    })])
    expect(await list("area")).toEqual([expect.objectContaining({ area_id: "hall", name: "Hall", floor_id: "ground" })])
    expect(await list("floor")).toEqual([expect.objectContaining({ floor_id: "ground", name: "Ground", level: 0 })])
    expect(await list("label")).toEqual([])
    expect((await client.call("config/entity_registry/list_for_display")).result).toEqual({
      entity_categories: { 0: "config", 1: "diagnostic" },
      entities: [{ ei: entity.entityId, pl: "wavepose", lb: ["quiet"], di: "node7", ec: 1, hn: true, en: "Presence" }],
    })
  })
})

describe("commands that act", () => {
  it("[111] a call returns its context", async () => {
    const { result: user } = await client.call("auth/current_user")
    const answer = await client.call("call_service", { domain: "Test", service: "COUNT" })
    expect(answer).toMatchObject(result({ context: { id: expect.any(String), parent_id: null, user_id: user.id } }))
    expect(Object.keys(answer.result)).toEqual(["context"])
  })

  it("[113] [116] [118] [120] a rejected command states the reason", async () => {
    const call = (service: string, more: object = {}) =>
      client.call("call_service", { domain: "test", service, ...more })
    expect(await call("nobody")).toMatchObject(refused("not_found", "Service test.nobody not found."))
    const wrong = {
      domain: "input_number",
      service: "set_value",
      service_data: { entity_id: "input_number.a", value: "high" },
    }
    expect(await client.call("call_service", wrong)).toMatchObject(refused("invalid_format"))
    expect(await call("answer")).toMatchObject(refused("service_validation_error"))
    expect((await call("answer")).error.message).toMatch(/^Validation error: /)
    expect(await call("count", { return_response: true })).toMatchObject(refused("service_validation_error"))
    expect(await call("refuse")).toMatchObject(refused("service_validation_error", "Validation error: Not on Sundays"))
    expect(await call("fail")).toMatchObject(refused("home_assistant_error", "It is stuck"))
    expect(await call("break")).toMatchObject(refused("unknown_error", "the wheel came off"))
  })

  it("a service returns its response if it is requested", async () => {
    const call = (more: object) => client.call("call_service", { domain: "test", service: "maybe_answer", ...more })
    expect((await call({ return_response: true })).result.response).toEqual({ answer: 42 })
    expect((await call({})).result).not.toHaveProperty("response")
  })

  it("[115] a template is rejected as a target", async () => {
    const answer = await client.call("call_service", {
      domain: "input_boolean",
      service: "turn_on",
      target: { entity_id: "{{ states.light.a }}" },
    })
    expect(answer).toMatchObject(refused("invalid_format"))
  })

  it("[123] changes of a call are published before its answer, and the call event before both", async () => {
    await set("input_boolean.lamp", { state: "off" })
    const { call, received, socket } = await authenticated()
    await call("subscribe_events")
    const answer = await call("call_service", {
      domain: "input_boolean",
      service: "turn_on",
      target: { entity_id: "input_boolean.lamp" },
    })
    const at = (fits: (message: { event?: { event_type: string } }) => boolean) => received.findIndex(fits)
    const called = at(({ event }) => event?.event_type === "call_service")
    const changed = at(({ event }) => event?.event_type === "state_changed")
    expect(called).toBeGreaterThanOrEqual(0)
    expect(changed).toBeGreaterThan(called)
    expect(received.indexOf(answer)).toBeGreaterThan(changed)
    expect(received[changed].event.context).toEqual(answer.result.context)
    expect(received[changed].event.data.new_state.state).toBe("on")
    socket.close()
  })

  it("[121] a fired event is local, with the context of the answer and the data", async () => {
    const { id } = await client.call("subscribe_events", { event_type: "fired" })
    const { result: answered } = await client.call("fire_event", { event_type: "fired", event_data: { a: 1 } })
    expect(await client.event(id)).toEqual({
      event_type: "fired",
      data: { a: 1 },
      origin: "LOCAL",
      time_fired: expect.stringMatching(/\+00:00$/),
      context: answered.context,
    })
    await client.call("fire_event", { event_type: "fired" })
    expect((await client.event(id)).data).toEqual({})
    expect(await client.call("fire_event", { event_type: "x".repeat(65) })).toMatchObject(
      refused("home_assistant_error"),
    )
  })
})
