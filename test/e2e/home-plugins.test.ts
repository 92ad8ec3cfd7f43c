/** Services and plugins of the home through a running service: as clients of REST and of the WebSocket see them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { writePlugin } from "../../deploy/commands/plugin-command.ts"
import { enforces, writePlugin as writeFiles } from "../actors/home/plugins/plugins.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-e2e-plugins-"))
const plugins = join(folder, "plugins")
const token = "a-long-lived-token"
let service: TestService

const site = {
  environmentId: "hall",
  name: "Hall",
  geometry: null,
  routers: ["hall-1"],
  zones: [{ zoneId: "door", name: "Door", kind: "general", polygon: [[0, 0], [1, 0], [1, 1], [0, 1]] }],
}
const helpers = {
  input_boolean: { guests: { name: "Guests" } },
  input_number: { warmth: { min: 15, max: 25, step: 0.5, initial: 20 } },
}
const thief = `export const setup = async (home) => {
  const outcome = {}
  try { await Deno.readTextFile("/etc/passwd"); outcome.file = "read" } catch (error) { outcome.file = error.name }
  try { await home.states.set("input_boolean.guests", "on"); outcome.state = "set" } catch (error) { outcome.state = error.name }
  await home.states.set("thief.outcome", "tried", outcome)
  return true
}`

beforeAll(async () => {
  await Effect.runPromise(writePlugin(plugins, "arrivals"))
  writeFiles(plugins, "thief", { source: thief })
  writeFiles(plugins, "broken", { manifest: { version: "soon" } })
  writeFileSync(join(folder, "helpers.json"), JSON.stringify(helpers))
  writeFileSync(join(folder, "site.json"), JSON.stringify(site))
  service = await startService({
    args: ["--source", "none", "--site", join(folder, "site.json")],
    env: {
      WAVEPOSE_HOME_TOKENS: token,
      WAVEPOSE_PLUGINS: plugins,
      WAVEPOSE_HOME_CONFIG: join(folder, "helpers.json"),
    },
  })
}, 60_000)
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${service.home}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get("content-type") === "application/json"
  // deno-lint-ignore no-explicit-any
  return { status: response.status, body: (json ? JSON.parse(text) : text) as any }
}
const call = (name: string, data?: unknown) => ask("POST", `/services/${name}`, data)
const state = async (entityId: string) => (await ask("GET", `/states/${entityId}`)).body

/** The states of all plugins after all setups have ended. */
const settledPlugins = async () => {
  const views = async () => (await call("homeassistant/plugins?return_response")).body.service_response?.plugins ?? []
  const ended = (status: string) => status !== "setup_in_progress" && status !== "not_loaded"
  type View = { readonly domain: string; readonly status: string; readonly reason: string | null }
  const all: ReadonlyArray<View> = await eventually(
    views,
    (views: ReadonlyArray<View>) => views.length >= 4 && views.every(({ status }) => ended(status)),
  )
  return Object.fromEntries(all.map(({ domain, reason, status }) => [domain, { status, reason }]))
}

/** One command of the WebSocket and its result. */
const command = (message: Readonly<Record<string, unknown>>) =>
  // deno-lint-ignore no-explicit-any
  new Promise<any>((resolve, reject) => {
    const socket = new WebSocket(`${service.home.replace("http", "ws")}/api/websocket`)
    socket.once("error", reject)
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data))
      if (frame.type === "auth_required") socket.send(JSON.stringify({ type: "auth", access_token: token }))
      if (frame.type === "auth_ok") socket.send(JSON.stringify({ id: 1, ...message }))
      if (frame.type !== "result") return
      socket.close()
      resolve(frame)
    })
  })

describe("helpers and services", () => {
  it("exist from the operator's file, and can be commanded over REST and the WebSocket", async () => {
    await settledPlugins()
    expect(await state("input_number.warmth")).toMatchObject({ state: "20.0", attributes: { max: 25, step: 0.5 } })
    const toggled = await call("homeassistant/toggle", { entity_id: "input_boolean.guests" })
    expect(toggled).toMatchObject({ status: 200, body: [{ entity_id: "input_boolean.guests", state: "on" }] })
    const target = { entity_id: ["input_number.warmth"] }
    const raised = await command({ type: "call_service", domain: "input_number", service: "increment", target })
    expect(raised).toMatchObject({ success: true, result: { context: { parent_id: null } } })
    expect((await state("input_number.warmth")).state).toBe("20.5")
    expect((await call("input_number/set_value", { entity_id: "input_number.warmth", value: 99 })).status).toBe(400)
  })

  it("reach the routers and environments of the service", async () => {
    const order = { environment_id: "hall", room: "occupied", duration_seconds: 5 }
    const calibrated = await call("wavepose/calibrate?return_response", order)
    expect(calibrated.body.service_response).toEqual({ routers: ["hall-1"], room: "occupied", seconds: 5 })
    const status = await (await signIn(service)).get("/system/calibration?environment_id=hall")
    expect(status.body.routers[0]).toMatchObject({ router_id: "hall-1", running: { room: "occupied" } })
    const nowhere = await call("wavepose/calibrate", { environment_id: "nowhere" })
    expect(nowhere).toEqual({
      status: 400,
      body: { message: 'There is no environment "nowhere". Known environments: hall.' },
    })
    const unknown = await call("wavepose/acknowledge_alert", { alert_id: "none" })
    expect(unknown).toEqual({ status: 400, body: { message: 'There is no open alert "none".' } })
  })

  it("show the service's readings, and none of silent nodes", async () => {
    const presence = await eventually(() => state("binary_sensor.hall_1_presence"), ({ state }) => state !== undefined)
    expect(presence).toMatchObject({
      state: "unavailable",
      attributes: { device_class: "occupancy", node_id: "hall-1", environment_id: "hall", privacy_class: "anonymous" },
    })
    const door = await eventually(() => state("binary_sensor.hall_zone_door"), ({ state }) => state !== undefined)
    expect(door).toMatchObject({ state: "unknown", attributes: { zone_id: "door" } })
    expect(door.attributes.reason).not.toBeNull()
    expect(await state("binary_sensor.hall_fall")).toMatchObject({ state: "unavailable", attributes: { alerts: [] } })
    const devices = await command({ type: "config/device_registry/list" })
    expect(devices.result.map(({ name }: { readonly name: string }) => name)).toEqual(
      expect.arrayContaining(["Sensing node hall-1", "Hall"]),
    )
  })

  it("list the plugins", async () => {
    const manifest = await command({ type: "manifest/get", integration: "wavepose" })
    expect(manifest.result).toMatchObject({ domain: "wavepose", is_built_in: true, iot_class: "local_push" })
    const list = await command({ type: "manifest/list" })
    const domains = list.result.map(({ domain }: { readonly domain: string }) => domain)
    expect(domains).toEqual(expect.arrayContaining(["wavepose", "arrivals", "thief"]))
    expect(domains).not.toContain("broken")
    const { body } = await ask("GET", "/components")
    expect(body).toEqual(expect.arrayContaining(["wavepose", "wavepose.binary_sensor", "input_boolean"]))
    expect((await settledPlugins())["broken"]!.reason).toContain("version")
  })
})

describe.runIf(enforces)("a third-party plugin in a Deno process", () => {
  it("may not read a file, nor write another plugin's entity", async () => {
    expect((await settledPlugins())["thief"]).toEqual({ status: "loaded", reason: null })
    expect((await state("thief.outcome")).attributes).toEqual({ file: "NotCapable", state: "RuntimeError" })
  })

  it("made from the template, serves calls over REST and the WebSocket", async () => {
    const { body } = await call("arrivals/reset?return_response", { to: 3 })
    expect(body).toMatchObject({
      changed_states: [{ entity_id: "sensor.arrivals_arrivals", state: "3" }],
      service_response: { arrivals: 3 },
    })
    const services = await command({ type: "get_services" })
    expect(services.result.arrivals.reset).toMatchObject({ response: { optional: true }, fields: { to: {} } })
    const reset = { type: "call_service", domain: "arrivals", service: "reset", return_response: true }
    expect((await command({ ...reset, service_data: { to: 7 } })).result.response).toEqual({ arrivals: 7 })
    expect((await command({ ...reset, service_data: { to: -1 } })).error.code).toBe("invalid_format")
  })

  it("made from the template, receives events", async () => {
    const attributes = { device_class: "occupancy" }
    await ask("POST", "/states/binary_sensor.porch", { state: "off", attributes })
    for (const state of ["on", "unknown", "on", "off", "unavailable", "on"]) {
      await ask("POST", "/states/binary_sensor.porch", { state, attributes })
    }
    await eventually(() => state("sensor.arrivals_arrivals"), ({ state }) => state === "9")
  })

  it("is reloaded by a service", async () => {
    expect((await call("homeassistant/reload_plugin", { plugin: "arrivals" })).status).toBe(200)
    expect((await settledPlugins())["arrivals"]!.status).toBe("loaded")
    expect((await state("sensor.arrivals_arrivals")).state).toBe("9")
    expect((await call("homeassistant/reload_plugin", { plugin: "nothing" })).body).toEqual({
      message: "Integration 'nothing' not found.",
    })
  })
})

describe.runIf(!enforces)("a third-party plugin on Node", () => {
  it("is rejected with the reason", async () => {
    const { arrivals } = await settledPlugins()
    expect(arrivals!.status).toBe("setup_error")
    expect(arrivals!.reason).toContain("cannot hold a plugin to its permissions")
  })
})
