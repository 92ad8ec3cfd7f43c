/** Frames of a running service while its plugins misbehave. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { enforces, writePlugin } from "../actors/home/plugins/plugins.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-e2e-budget-"))
const token = "a-long-lived-token"
const sources = {
  flooder: "setInterval(() => { for (let i = 0; i < 5_000; i++) home.states.get('flooder.x').catch(() => {}) }, 1)",
  spinner: "queueMicrotask(() => { for (;;); })",
  hoarder: "globalThis.kept = []; setInterval(() => globalThis.kept.push(new Uint8Array(2e7).fill(1)), 5)",
}
let service: TestService

beforeAll(async () => {
  for (const [domain, act] of Object.entries(sources)) {
    writePlugin(folder, domain, { source: `export const setup = (home) => { ${act}; return true }` })
  }
  const env = { WAVEPOSE_HOME_TOKENS: token, WAVEPOSE_PLUGINS: folder }
  service = await startService({ args: ["--scenario", "small-room"], env })
}, 60_000)
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** The reasons that the plugins' states give. */
const reasons = async (): Promise<Readonly<Record<string, string | null>>> => {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${service.home}/api/services/homeassistant/plugins?return_response`, {
    method: "POST",
    headers,
  })
  type View = { readonly domain: string; readonly reason: string | null }
  const { service_response } = await answer.json() as { service_response?: { plugins: ReadonlyArray<View> } }
  return Object.fromEntries((service_response?.plugins ?? []).map(({ domain, reason }) => [domain, reason]))
}

describe.runIf(enforces)("plugins that flood, spin and allocate", () => {
  it("are ended with the reason, and the frames go on", async () => {
    const ended = await eventually(
      reasons,
      (now) => Object.keys(sources).every((domain) => typeof now[domain] === "string"),
      60_000,
    )
    expect(ended["flooder"]).toMatch(/more messages|MiB per second/)
    expect(ended["spinner"]).toMatch(/hangs|processor time|has ended/)
    expect(ended["hoarder"]).toMatch(/memory|processor time|hangs/)
    const client = await signIn(service)
    const newest = async () => (await client.get("/pose/latest?environment_id=small-room")).body.frame_id as number
    const first = await eventually(newest, (id) => id > 0, 60_000)
    await eventually(newest, (id) => id > first + 5, 60_000)
  }, 180_000)
})
