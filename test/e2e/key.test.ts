/** `wavepose key` beside a real service: a limited key that expires, the list, and the end of the key. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../harness/command.ts"
import { adminPassword, startService, type TestService } from "../harness/service.ts"

let service: TestService
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(async () => {
  await service.stop()
})

const wavepose = (...args: ReadonlyArray<string>) =>
  runCommand(["key", ...args, "--url", service.pose], {
    env: { WAVEPOSE_ADMIN_PASSWORD: adminPassword, WAVEPOSE_API_KEY: "" },
  })

const statusOf = async (path: string, key: string) => {
  const response = await fetch(`${service.pose}/api/v1${path}`, { headers: { "X-API-Key": key } })
  await response.body?.cancel()
  return response.status
}

it("creates, lists and revokes an API key with scopes and an expiry", async () => {
  const created = await wavepose("create", "grafana", "--scope", "read:system", "--expires-in-days", "30")
  expect(created.code).toBe(0)
  expect(created.stdout).toMatch(/^wp_\S+\n$/)
  expect(created.stderr).toContain("has the scopes read:system")
  const key = created.stdout.trim()
  expect([await statusOf("/system/status", key), await statusOf("/alerts", key)]).toEqual([200, 403])
  const { api_keys } = JSON.parse((await wavepose("list", "--json")).stdout)
  const made = api_keys.find(({ name }: { name: string }) => name === "grafana")
  expect(made).toMatchObject({ role: "viewer", scopes: ["read:system"] })
  const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000
  expect(days).toBeCloseTo(30, 2)
  expect((await wavepose("list")).stdout).toMatch(/grafana +viewer +read:system /)
  const foreign = await wavepose("create", "other", "--scope", "admin")
  expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining("must be scopes of the role viewer")])
  expect((await wavepose("revoke", made.key_id)).code).toBe(0)
  expect(await statusOf("/system/status", key)).toBe(401)
}, 120_000)
