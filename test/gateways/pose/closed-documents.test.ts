/** The documents of the API where they are not public (`WAVEPOSE_PUBLIC_DOCS=off`). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

const paths = [
  "/docs",
  "/docs/style.css",
  "/docs/script.js",
  "/api/v1/openapi.json",
  "/api/v1/openapi.bare.json",
  "/api/v1/openapi.envelope.json",
  "/api/v1/asyncapi.json",
]

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ publicDocuments: false })
})
afterAll(() => gateway?.stop())

it.each(paths)("answers %s only to authenticated callers", async (path) => {
  const stranger = await fetch(gateway.url + path)
  expect(stranger.status).toBe(401)
  expect(await stranger.text()).toContain("AUTHENTICATION_ERROR")
  const viewer = await fetch(gateway.url + path, {
    headers: { Authorization: `Bearer ${await gateway.token("viewer")}` },
  })
  expect(viewer.status).toBe(200)
})

it("says so in the OpenAPI document", async () => {
  const token = await gateway.token("viewer")
  const { json } = await call(gateway.url, { method: "GET", path: "/openapi.json", token })
  const described = json.paths["/docs"].get
  expect(described).not.toHaveProperty("security")
  expect(described.description).toContain("For every authenticated caller.")
  expect(Object.keys(described.responses)).toContain("401")
})
