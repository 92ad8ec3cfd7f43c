/** Bodies of operations that take none: empty ones and `{}` pass, fields are rejected with their path. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway
let token: string
beforeAll(async () => {
  gateway = await startGateway()
  token = await gateway.token("admin")
})
afterAll(() => gateway?.stop())

const operations = [
  ["POST", "/system/restart"],
  ["POST", "/auth/ticket"],
  ["DELETE", "/environments/nobody"],
] as const

it.each(operations)("%s %s rejects an unknown field and a body that is not JSON", async (method, path) => {
  const given = await call(gateway.url, { method, path, token, body: { force: true } })
  expect(given).toMatchObject({
    status: 422,
    json: { error: { code: "VALIDATION_ERROR", details: { field_errors: [{ field: "force" }] } } },
  })
  expect((await call(gateway.url, { method, path, token, body: "{" })).status).toBe(400)
  expect((await call(gateway.url, { method, path, token, body: [] })).status).toBe(422)
})

it.each(operations)("%s %s takes no body and an empty one", async (method, path) => {
  for (const body of [undefined, {}]) {
    const { status } = await call(gateway.url, { method, path, token, body })
    expect([400, 422]).not.toContain(status)
  }
})
