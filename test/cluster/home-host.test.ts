/**
 * Two real processes on one PostgreSQL: one hosts the home's services and plugins, clients call them through the other.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { enforces, writePlugin } from "../actors/home/plugins/plugins.ts"
import { hasPostgres, startPostgres, type TestPostgres } from "../harness/postgres.ts"
import { eventually, startService, type TestService } from "../harness/service.ts"

const token = "a-long-lived-token"
const greeter = `export const setup = async (home) => {
  await home.services.register({ name: "greet", response: "optional" }, async ({ context }) => {
    await home.states.set("greeter.last", "greeted", {}, { context })
    return { text: "good day" }
  })
  return true
}`

describe.skipIf(!await hasPostgres())("the home's services in a cluster", () => {
  let postgres: TestPostgres
  let host: TestService
  let gateway: TestService
  const folder = mkdtempSync(join(tmpdir(), "wavepose-cluster-plugins-"))

  beforeAll(async () => {
    writePlugin(folder, "greeter", { source: greeter })
    postgres = (await startPostgres())!
    const env = { DATABASE_URL: postgres.url, WAVEPOSE_HOME_TOKENS: token }
    const started = await Promise.all([
      startService({ env: { ...env, WAVEPOSE_ROLES: "home", WAVEPOSE_PLUGINS: folder } }),
      startService({ env: { ...env, WAVEPOSE_ROLES: "gateway,sensing" } }),
    ])
    host = started[0]
    gateway = started[1]
  }, 60_000)

  afterAll(async () => {
    await gateway?.stop()
    await host?.kill()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 30_000)

  const call = async (service: string, data: unknown) => {
    const response = await fetch(`${gateway.home}/api/services/${service}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(data),
    })
    const text = await response.text()
    return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) as unknown : text }
  }

  it("are called through a node that does not host them, and answer with what they changed", async () => {
    const note = { message: "From afar", notification_id: "afar" }
    const { body } = await eventually(
      () => call("persistent_notification/create", note),
      ({ status }) => status === 200,
    )
    expect(body).toMatchObject([{ entity_id: "persistent_notification.afar", state: "notifying" }])
    expect(host.output()).toContain("home host started on this node")
    expect(gateway.output()).not.toContain("home host started on this node")
  })

  it.runIf(enforces)("so are services of a plugin that only the hosting node has", async () => {
    const greeted = await eventually(
      () => call("greeter/greet?return_response", {}),
      ({ status }) => status === 200,
    )
    expect(greeted.body).toMatchObject({
      changed_states: [{ entity_id: "greeter.last", state: "greeted" }],
      service_response: { text: "good day" },
    })
  })
})
