/**
 * Sites that follow each other in one data folder: the demonstration first, then a flat of one's own; and what `wavepose site` removes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { runCommand } from "../harness/command.ts"
import { adminPassword, eventually, signIn, startService, type TestService } from "../harness/service.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-site-"))
const dataDirectory = join(folder, "data")
const site = join(folder, "flat.json")
const homeToken = "a-token-of-the-home-api"
const rooms = /bedroom|living|bed-\d/

let service: TestService | null = null
const start = async (args: ReadonlyArray<string>) => {
  service = await startService({
    args,
    dataDirectory,
    env: { WAVEPOSE_BRIDGE: "on", WAVEPOSE_HOME_TOKENS: homeToken },
  })
  return service
}
const stop = async () => {
  await service?.stop()
  service = null
}
const writeSite = (routers: ReadonlyArray<string>) =>
  writeFileSync(site, JSON.stringify({ environmentId: "flat", name: "Flat", geometry: null, routers }))

const bridgeNodes = async ({ output }: TestService): Promise<ReadonlyArray<string>> => {
  const found = () => Promise.resolve(/"ready":"bridge","url":"([^"]*)"/.exec(output())?.[1] ?? "")
  const url = await eventually(found, (text) => text !== "", 40_000)
  const response = await fetch(`${url}/api/v1/edge/registry`)
  const { nodes } = await response.json() as { nodes: ReadonlyArray<{ node_id: string }> }
  return nodes.map(({ node_id }) => node_id).sort()
}
const homeEntities = async ({ home }: TestService): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${home}/api/states`, { headers: { authorization: `Bearer ${homeToken}` } })
  return (await response.json() as ReadonlyArray<{ entity_id: string }>).map(({ entity_id }) => entity_id)
}
const wavepose = ({ pose }: TestService, ...args: ReadonlyArray<string>) =>
  runCommand([...args, "--url", pose], { env: { WAVEPOSE_API_KEY: "", WAVEPOSE_ADMIN_PASSWORD: adminPassword } })
const sites = async (of: TestService): Promise<ReadonlyArray<readonly [string, boolean, string]>> => {
  const { body } = await (await signIn(of)).get("/environments")
  return body.environments.map(({ active, environment_id, origin }: {
    environment_id: string
    active: boolean
    origin: { source: string }
  }) => [environment_id, active, origin.source])
}

/** A client that watches an environment, with all that it is sent. */
const watch = (of: TestService, token: string, environmentId: string) => {
  const socket = new WebSocket(`${of.pose.replace("http", "ws")}/ws/pose?token=${token}`)
  // deno-lint-ignore no-explicit-any
  const messages: Array<any> = []
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.once("error", reject)
    socket.on("message", (bytes) => {
      const message = JSON.parse(String(bytes))
      messages.push(message)
      if (message.type === "connection_established") {
        const filters = { environment_id: environmentId }
        socket.send(JSON.stringify({ type: "subscribe", channel: "pose_updates", filters }))
      }
      if (message.type === "subscription_confirmed") resolve()
    })
  })
  return { subscribed, messages, end: () => socket.terminate() }
}

describe("a flat after the demonstration, in the same data folder", () => {
  beforeAll(async () => {
    const demonstration = await start(["--scenario", "home"])
    const api = await signIn(demonstration)
    const latest = () => api.get("/pose/latest?environment_id=bedroom")
    await eventually(latest, ({ status }) => status === 200, 40_000)
    await eventually(() => bridgeNodes(demonstration), (nodes) => nodes.length === 9, 40_000)
    await eventually(() => homeEntities(demonstration), (ids) => ids.some((id) => /bed_\d/.test(id)), 40_000)
    await stop()
    writeSite(["node-1", "node-2"])
    await start(["--source", "none", "--site", site])
  }, 150_000)
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  it("is the only environment in answers, diagnostics, doctor, the bridge's registry and the home", async () => {
    const api = await signIn(service!)
    const { body, status } = await api.get("/pose/latest")
    expect([status, body.error.message]).toEqual([404, expect.stringContaining("node-1, node-2")])
    const diagnostics = await api.get("/system/diagnostics")
    expect(JSON.stringify(diagnostics.body)).toContain("flat")
    expect(JSON.stringify(diagnostics.body)).not.toMatch(rooms)
    const doctor = await wavepose(service!, "doctor", "--json")
    expect(doctor.stdout).toContain("frames of flat")
    expect(doctor.stdout).not.toMatch(rooms)
    expect(await eventually(() => bridgeNodes(service!), (nodes) => nodes.length > 0, 40_000)).toEqual([
      "node-1",
      "node-2",
    ])
    expect(await eventually(() => homeEntities(service!), (ids) => !ids.some((id) => /bed_|living/.test(id))))
      .toContain(
        "binary_sensor.node_1_presence",
      )
    expect(await api.get("/pose/latest?environment_id=bedroom")).toMatchObject({ status: 404 })
  }, 120_000)

  it("keeps the demonstration's environments, which the command lists and removes", async () => {
    expect(await sites(service!)).toEqual([
      ["bedroom", false, "simulated"],
      ["flat", true, "live"],
      ["living-room", false, "simulated"],
    ])
    const list = await wavepose(service!, "site", "list")
    expect(list.stdout).toMatch(/bedroom +no +simulated \(home\)/)
    const unasked = await wavepose(service!, "site", "remove", "bedroom")
    expect([unasked.code, unasked.stderr]).toEqual([64, expect.stringContaining("--yes")])
    const removed = await wavepose(service!, "site", "remove", "bedroom", "--drop-history", "--yes")
    expect([removed.code, removed.stderr]).toEqual([0, expect.stringMatching(/with its history: [1-9]\d* frames/)])
    const again = await wavepose(service!, "site", "remove", "bedroom", "--yes")
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("bedroom")])
    expect((await sites(service!)).map(([id]) => id)).toEqual(["flat", "living-room"])
  }, 60_000)

  it("ends the streams of an environment that is removed, and its edge nodes and home entities go", async () => {
    const api = await signIn(service!)
    const watcher = watch(service!, api.token, "flat")
    await watcher.subscribed
    expect(await api.delete("/environments/flat")).toMatchObject({
      status: 200,
      body: { environment_id: "flat", history: "kept", deleted: null },
    })
    const reported = await eventually(
      () => Promise.resolve(watcher.messages.find(({ type }) => type === "error")),
      (message) => message !== undefined,
    )
    expect(reported.error.message).toContain("flat")
    watcher.end()
    await eventually(() => bridgeNodes(service!), (nodes) => nodes.length === 0)
    await eventually(() => homeEntities(service!), (ids) => !ids.some((id) => /node_1/.test(id)))
    expect(await sites(service!)).toEqual([["living-room", false, "simulated"]])
  }, 60_000)

  it("stays removed after a restart; environments of other sources are active when that is asked for", async () => {
    await stop()
    const kept = await start(["--source", "none", "--keep-environments"])
    expect(await sites(kept)).toEqual([["living-room", true, "simulated"]])
  }, 60_000)

  it("runs where an earlier start ran in the one room of a scenario alone", async () => {
    await stop()
    await start(["--scenario", "one-link"])
    await stop()
    const flat = await start(["--source", "none", "--site", site])
    const api = await signIn(flat)
    const latest = await api.get("/pose/latest")
    expect([latest.status, latest.body.error.message]).toEqual([404, expect.stringContaining("node-1, node-2")])
    expect((await api.get("/config")).body.environment_id ?? null).toBe(null)
  }, 90_000)

  it("loses the routers that a newer site file does not name", async () => {
    await stop()
    writeSite(["node-2", "node-3"])
    const again = await start(["--source", "none", "--site", site])
    const { body } = await (await signIn(again)).get("/environments")
    expect(body.environments.find(({ active }: { active: boolean }) => active).routers).toEqual(["node-2", "node-3"])
  }, 90_000)
})
