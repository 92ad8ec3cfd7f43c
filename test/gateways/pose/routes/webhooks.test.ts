import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Role } from "../../../../protocols/domain/identity.ts"
import { eventTypes } from "../../../../protocols/domain/event.ts"
import { webhooksMax } from "../../../../protocols/domain/webhook.ts"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"

let gateway: Gateway
let contract: Contract
beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

const url = "https://hooks.example.org/wavepose"

describe.each(forms)("webhooks in the %s form", (form) => {
  const send = async (method: string, path: string, role: Role, body?: unknown) => {
    const request = { method, path, form, token: await gateway.token(role), body }
    const answer = await call(gateway.url, request)
    const template = path === "/webhooks" ? path : "/webhooks/{webhook_id}"
    expect(contract.disagreements(request, template, answer)).toEqual([])
    return { ...answer, data: form === "bare" ? answer.json : answer.json?.data }
  }

  it("are created with a secret that is shown once, listed, read and deleted", async () => {
    const made = await send("POST", "/webhooks", "operator", { url })
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({
      url,
      event_types: eventTypes,
      status: "active",
      created_by: "otto",
      deliveries: { delivered: 0, given_up: 0, waiting: 0 },
    })
    expect(made.data.secret).toMatch(/^whsec_/)
    const id = made.data.webhook_id
    const listed = await send("GET", "/webhooks", "operator")
    expect(listed.data.webhooks).toHaveLength(1)
    expect(JSON.stringify(listed.json)).not.toContain("secret")
    expect((await send("GET", `/webhooks/${id}`, "operator")).data.webhook_id).toBe(id)
    expect((await send("DELETE", `/webhooks/${id}`, "operator")).status).toBe(204)
    expect((await send("DELETE", `/webhooks/${id}`, "operator")).status).toBe(404)
    expect((await send("GET", `/webhooks/${id}`, "operator")).status).toBe(404)
  })

  it("accept types of events and of alerts, each once, and a given secret", async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
    const body = {
      url,
      event_types: ["inactivity", "inactivity_detection", "fall_detection"],
      secret,
      description: "ward 3",
    }
    const made = await send("POST", "/webhooks", "operator", body)
    expect(made.data).toMatchObject({
      event_types: ["inactivity_detection", "fall_detection"],
      secret,
      description: "ward 3",
    })
  })

  it("report failures and disabling, with the reason", async () => {
    await send("POST", "/webhooks", "operator", { url })
    const [webhook] = gateway.world.webhooks.values()
    const atMs = Date.UTC(2026, 0, 6)
    const failing = { ...webhook!, failingSinceMs: atMs, lastError: "The endpoint has answered 500." }
    gateway.world.webhooks.set(webhook!.webhookId, failing)
    expect((await send("GET", `/webhooks/${webhook!.webhookId}`, "operator")).data).toMatchObject({
      status: "failing",
      failing_since: "2026-01-06T00:00:00.000Z",
      last_error: "The endpoint has answered 500.",
    })
    gateway.world.webhooks.set(webhook!.webhookId, { ...failing, disabledAtMs: atMs, disabledReason: "gone" })
    expect((await send("GET", "/webhooks", "operator")).data.webhooks[0]).toMatchObject({
      status: "disabled",
      disabled_reason: "gone",
    })
  })

  it.each([
    ["plain text", { url: "http://hooks.example.org/" }, "url"],
    ["a private address", { url: "https://192.168.1.5/" }, "url"],
    ["a cloud's metadata", { url: "https://169.254.169.254/" }, "url"],
    ["credentials", { url: "https://a:b@hooks.example.org/" }, "url"],
    ["no URL", {}, "url"],
    ["poses", { url, event_types: ["pose_update"] }, "event_types.0"],
    ["no type", { url, event_types: [] }, "event_types"],
    ["a short secret", { url, secret: "short" }, "secret"],
    ["a broken standard secret", { url, secret: "whsec_not base64 at all" }, "secret"],
    ["an unknown field", { url, retries: 5 }, "retries"],
  ])("are rejected with %s, and no secret is repeated", async (_, body, field) => {
    const { json, status } = await send("POST", "/webhooks", "operator", body)
    expect(status).toBe(422)
    const errors = json.error.details[form === "bare" ? "field_errors" : "errors"]
    expect(errors.map((error: { field: string }) => error.field)).toEqual([field])
    if ("secret" in body) expect(JSON.stringify(json)).not.toContain(body.secret)
  })

  it("require the role operator, and are limited in number", async () => {
    expect((await send("POST", "/webhooks", "viewer", { url })).status).toBe(403)
    expect((await send("GET", "/webhooks", "viewer")).status).toBe(403)
    await send("POST", "/webhooks", "operator", { url })
    const [webhook] = gateway.world.webhooks.values()
    for (let i = 0; i < webhooksMax; i++) gateway.world.webhooks.set(`more-${i}`, webhook!)
    expect((await send("POST", "/webhooks", "operator", { url })).status).toBe(409)
  })
})

it("any body for a webhook is answered with less than 500", async () => {
  const token = await gateway.token("operator")
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({
      url: fc.oneof(fc.webUrl(), fc.string(), fc.jsonValue()),
      event_types: fc.jsonValue(),
      secret: fc.jsonValue(),
    }),
  )
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const answer = await call(gateway.url, { method: "POST", path: "/webhooks", token, body: JSON.stringify(value) })
      expect(answer.status).toBeLessThan(500)
    }),
    { seed: 20261122, numRuns: 60 },
  )
})

it("endpoints in a private network are accepted if allowed", async () => {
  const own = await startGateway({ webhookTargets: "private" })
  const token = await own.token("operator")
  const create = (to: string) => call(own.url, { method: "POST", path: "/webhooks", token, body: { url: to } })
  expect((await create("http://192.168.1.5:9000/hook")).status).toBe(201)
  expect((await create("http://169.254.169.254/")).status).toBe(422)
  await own.stop()
})
