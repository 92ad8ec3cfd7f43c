import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import type { Role } from "../../../../protocols/domain/identity.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"
import { makeRouterStatus } from "../world.ts"
import { connectSocket } from "../socket-client.ts"

let gateway: Gateway
let contract: Contract
beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

describe.each(forms)("the configuration in the %s form", (form) => {
  const send = async (
    method: string,
    role: Role,
    body?: unknown,
    { headers = {}, path = "/config", template = path }: {
      headers?: Record<string, string>
      path?: string
      template?: string
    } = {},
  ) => {
    const request = { method, path, form, token: await gateway.token(role), body, headers }
    const answer = await call(gateway.url, request)
    expect(contract.disagreements(request, template, answer)).toEqual([])
    return { ...answer, data: form === "bare" ? answer.json : answer.json?.data }
  }
  const applied = (data: Record<string, unknown>) => data[form === "bare" ? "changes_applied" : "updated_fields"]
  const restart = (data: Record<string, unknown>) => data[form === "bare" ? "restart_required" : "requires_restart"]
  const fieldsOf = (json: { error: { details: Record<string, Array<{ field: string }>> } }) =>
    json.error.details[form === "bare" ? "field_errors" : "errors"]!.map(({ field }) => field)

  it("is returned with the measured values", async () => {
    const { data, headers, status } = await send("GET", "viewer")
    expect(status).toBe(200)
    expect(headers.get("etag")).toBe(`"r3"`)
    if (form === "bare") {
      expect(data).toMatchObject({
        domain: "general",
        environment: { id: null, name: "Living room", calibration_timestamp: "2026-01-04T00:00:00.000Z" },
        detection: { tracking_enabled: true },
      })
    } else {
      expect(data).toMatchObject({
        environment_id: null,
        hardware: { antenna_count: 1, subcarrier_count: 51, csi_sampling_rate: null, buffer_size: 100 },
        analytics: { alert_thresholds: { inactivity_timeout: 1800 } },
      })
    }
  })

  it("has null for values that routers do not report or that differ", async () => {
    const channel = makeRouterStatus("node-2").channel!
    gateway.world.routers.set("node-2", makeRouterStatus("node-2", { channel: { ...channel, receiveAntennas: 3 } }))
    gateway.world.routers.delete("node-1")
    const one = await send("GET", "viewer")
    if (form === "bare") expect(one.data.environment.calibration_timestamp).toBe(null)
    else expect(one.data.hardware).toMatchObject({ antenna_count: 3 })
    gateway.world.routers.set("node-1", makeRouterStatus("node-1"))
    const both = await send("GET", "viewer")
    if (form === "envelope") expect(both.data.hardware).toMatchObject({ antenna_count: null, subcarrier_count: 51 })
  })

  it("accepts the fields of both forms, nested and dotted, and names the changed ones", async () => {
    const { data, headers, status } = await send("PUT", "operator", {
      "detection.max_persons": 5,
      detection: { confidence_threshold: 0.3, enable_tracking: true },
      alerts: { fall_detection: { sensitivity: 0.9 } },
      privacy: { data_retention_days: 90 },
    })
    expect(status).toBe(200)
    expect([...applied(data) as Array<string>].sort()).toEqual([
      "alerts.fall_detection.sensitivity",
      "detection.max_persons",
      "privacy.data_retention_days",
    ])
    expect(restart(data)).toBe(false)
    expect(headers.get("etag")).toBe(`"r4"`)
    expect(gateway.world.configuration.configuration).toMatchObject({
      detection: { maxPersons: 5, confidenceThreshold: 0.3 },
      alerts: { fallDetection: { sensitivity: 0.9 } },
      privacy: { dataRetentionDays: 90 },
    })
    if (form === "bare") expect(data.status).toBe("updated")
    else {expect(data).toMatchObject({
        applied_at: "2026-01-05T10:00:00.000Z",
        configuration: { detection: { max_persons: 5 } },
      })}
  })

  it("can be sent back as it was read, without a change", async () => {
    const { data: read } = await send("GET", "viewer")
    const { data, headers } = await send("PUT", "operator", read)
    expect(applied(data)).toEqual([])
    expect(headers.get("etag")).toBe(`"r3"`)
    if (form === "bare") expect(data.status).toBe("unchanged")
    expect(gateway.world.changes).toEqual([])
  })

  it("names the changes that need a restart, and settings that may be unintended", async () => {
    const { data } = await send("PUT", "operator", {
      environment_id: "living-room",
      streaming: { mqtt_enabled: false },
    })
    expect(restart(data)).toBe(true)
    expect(data.validation_warnings).toEqual([
      { field: "streaming.mqtt_enabled", message: expect.stringContaining("Nothing is published over MQTT") },
    ])
  })

  it.each([
    ["a value out of its bounds", { detection: { confidence_threshold: 1.5 } }, ["detection.confidence_threshold"]],
    ["an unknown field", { detection: { colour: "red" }, extra: 1 }, ["detection.colour", "extra"]],
    ["a reported field", { hardware: { antenna_count: 4 } }, ["hardware.antenna_count"]],
    ["settings that contradict each other", { detection: { tracking_min_hits: 61 } }, ["detection.tracking_min_hits"]],
    ["two values of one setting", {
      domain: "retail",
      analytics: { enable_fall_detection: true },
      "alerts.fall_detection.enabled": false,
    }, [
      "alerts.fall_detection.enabled",
    ]],
  ])("rejects %s by its path, and changes nothing", async (_, body, fields) => {
    const { json, status } = await send("PUT", "operator", body)
    expect(status).toBe(422)
    expect(fieldsOf(json).sort()).toEqual(fields.sort())
    expect(gateway.world.configuration.revision).toBe(3)
  })

  it("is changed only at the revision in If-Match", async () => {
    const put = (ifMatch: string, domain: string) =>
      send("PUT", "operator", { domain }, { headers: { "If-Match": ifMatch } })
    expect((await put(`"r3"`, "retail")).status).toBe(200)
    const moved = await put(`"r3"`, "general")
    expect(moved.status).toBe(412)
    expect(moved.json.error.code).toBe("CONFLICT")
    expect(gateway.world.configuration.configuration.domain).toBe("retail")
    expect((await put("*", "general")).status).toBe(200)
    expect((await put("r3", "retail")).status).toBe(422)
  })

  it("is reverted when an environment fails to apply it, and is not changed while the system starts", async () => {
    gateway.world.disobeys = "environment living-room did not obey: poison"
    const refused = await send("PUT", "operator", { domain: "retail" })
    expect(refused.status).toBe(503)
    expect(refused.json.error.message).toContain("environment living-room")
    gateway.world.session = { ...gateway.world.session, status: "starting" }
    expect((await send("PUT", "operator", { domain: "retail" })).status).toBe(409)
    expect(gateway.world.configuration.configuration.domain).toBe("general")
  })

  it("has a schema with types, bounds, descriptions and defaults", async () => {
    const { data, status } = await send("GET", "viewer", undefined, { path: "/config/schema" })
    expect(status).toBe(200)
    expect(data.schema.properties.detection.properties.max_persons).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 100,
      description: expect.any(String),
    })
    expect(data.defaults.detection.max_persons).toBe(10)
  })

  it("lists changes with their authors for administrators, newest first, in pages", async () => {
    await send("PUT", "operator", { domain: "retail" })
    await send("PUT", "admin", { alerts: { inactivity_detection: { threshold_minutes: 5 } } })
    const page = async (query: string) =>
      (await send("GET", "admin", undefined, { path: `/config/changes${query}`, template: "/config/changes" })).data
    const first = await page("?limit=1")
    expect(first.changes).toMatchObject([{ revision: 5, changed_by: { kind: "user", name: "anna" }, taken_back: null }])
    expect(first.changes[0].after).toEqual(
      form === "bare"
        ? { "alerts.inactivity_detection.threshold_minutes": 5 }
        : { "analytics.alert_thresholds.inactivity_timeout": 300 },
    )
    expect(first.pagination).toEqual({ has_more: true, next_cursor: "5" })
    const second = await page("?limit=1&cursor=5")
    expect(second.changes).toMatchObject([{ before: { domain: "general" }, after: { domain: "retail" } }])
    expect(second.pagination).toEqual({ has_more: false, next_cursor: null })
    expect(
      (await send("GET", "admin", undefined, { path: "/config/changes?cursor=x", template: "/config/changes" })).status,
    )
      .toBe(422)
  })

  it("requires permissions", async () => {
    expect((await send("PUT", "viewer", { domain: "retail" })).status).toBe(403)
    expect((await send("GET", "operator", undefined, { path: "/config/changes" })).status).toBe(403)
    expect((await call(gateway.url, { method: "GET", path: "/config" })).status).toBe(401)
  })
})

describe("a change of the configuration", () => {
  it("of any JSON is answered with less than 500, and never breaks the configuration", async () => {
    const token = await gateway.token("operator")
    const names = [
      "detection",
      "detection.max_persons",
      "alerts",
      "analytics",
      "environment",
      "hardware",
      "privacy",
      "__proto__",
    ]
    const bodies = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()))),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await call(gateway.url, { method: "PUT", path: "/config", token, body: JSON.stringify(body) })
        expect(answer.status).toBeLessThan(500)
        expect((await call(gateway.url, { method: "GET", path: "/config", token })).status).toBe(200)
      }),
      { seed: 20261122, numRuns: 60 },
    )
  })

  it("closes the WebSocket, rejects it, and allows it again", async () => {
    const token = await gateway.token("operator")
    const put = (on: boolean) =>
      call(gateway.url, { method: "PUT", path: "/config", token, body: { "streaming.websocket_enabled": on } })
    const open = () => connectSocket(gateway.url, { query: `?token=${token}` })
    const client = await open()
    await client.next("connection_established")
    await put(false)
    expect(await client.closed).toEqual({ code: 1001, reason: "the WebSocket is switched off" })
    await expect(open()).rejects.toThrow("503")
    await put(true)
    const again = await vi.waitFor(open, { timeout: 10_000 })
    await again.next("connection_established")
    again.socket.close()
  }, 20_000)
})
