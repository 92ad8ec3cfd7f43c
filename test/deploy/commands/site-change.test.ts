/** `wavepose site change` beside a real pose gateway: what the file says replaces what was enrolled. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { addSites, changeSites } from "../../../deploy/commands/site-command.ts"
import { call } from "../../gateways/pose/contract.ts"
import { type Gateway, password, startGateway, users } from "../../gateways/pose/harness.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-site-change-"))
let gateway: Gateway
beforeAll(async () => {
  vi.stubEnv("WAVEPOSE_API_KEY", "")
  vi.stubEnv("WAVEPOSE_ADMIN_USERNAME", users.operator)
  vi.stubEnv("WAVEPOSE_ADMIN_PASSWORD", password)
  gateway = await startGateway()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await gateway?.stop()
})

const attic = {
  environmentId: "attic",
  name: "Attic",
  geometry: { size: [5, 4, 2.5], nodes: [{ nodeId: "attic-1", position: [0, 0, 1], arrayAxis: [1, 0, 0] }] },
  routers: ["attic-1", "attic-2"],
}
const bed = { zoneId: "bed", name: "Bed", kind: "general", polygon: [[0, 0], [2, 0], [2, 2], [0, 2]] }

/** Writes a site file and runs a command on it. */
const run = (command: typeof addSites, site: object) => {
  const file = join(folder, "site.json")
  writeFileSync(file, JSON.stringify(site))
  return Effect.runPromise(
    Effect.flip(command({ url: gateway.url, file, json: false })).pipe(
      Effect.map(({ message }) => message),
      Effect.catch(() => Effect.succeed(null)),
      Effect.provide(NodeServices.layer),
    ),
  )
}

it("changes the name, zones, geometry and routers, and the conflict of an addition names it", async () => {
  expect(await run(addSites, attic)).toBeNull()
  const changed = { ...attic, name: "Bedroom", geometry: null, zones: [bed], routers: ["attic-1"] }
  expect(await run(addSites, changed)).toContain("wavepose site change")
  expect(await run(changeSites, changed)).toBeNull()
  const token = await gateway.token("viewer")
  const { json } = await call(gateway.url, { method: "GET", path: "/environments/attic", token })
  expect(json).toMatchObject({ name: "Bedroom", geometry: null, routers: ["attic-1"], zones: [{ zone_id: "bed" }] })
})

it("fails for an unknown environment", async () => {
  expect(await run(changeSites, { ...attic, environmentId: "cellar", routers: [] })).toContain("cellar")
})
