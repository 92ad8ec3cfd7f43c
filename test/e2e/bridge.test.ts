/**
 * The edge bridge as real processes, from the service to the answer, and closed by the privacy gate; and what its HTTP has in common with that
 * of the pose API and the home API.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RouterDouble } from "../gateways/cluster.ts"
import type { EdgeNodesDouble } from "../gateways/egress/nodes.ts"
import { withGrpcServer } from "../gateways/grpc/site.ts"
import { edgeRecord, nowMs } from "../harness/edge-records.ts"
import { eventually, runtimeArguments, signIn, startService, type TestService } from "../harness/service.ts"

/** The start of a runtime is slow on a busy machine. */
const patienceMs = 120_000

/** A process, what it writes, and its end. */
const started = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  const watchers = new Set<() => void>()
  child.stdout.on("data", (bytes) => {
    stdout += String(bytes)
    for (const watcher of watchers) watcher()
  })
  child.stderr.on("data", (bytes) => stderr += String(bytes))
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  )
  /** The address of its first ready line. */
  const ready = new Promise<string>((resolve, reject) => {
    watchers.add(() => {
      const url = /"ready":"bridge","url":"([^"]*)"/.exec(stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("close", () => reject(new Error(stderr)))
  })
  ready.catch(() => {})
  return { child, ended, ready }
}

const startBridge = (port: number) =>
  started([...runtimeArguments(), "bridge", "--from", `grpc://127.0.0.1:${port}`, "--while-stdin"], {
    WAVEPOSE_API_KEY: "viewer",
    WAVEPOSE_BRIDGE_PORT: "0",
  })

const getJson = async (url: string) => {
  const response = await fetch(url)
  // deno-lint-ignore no-explicit-any
  return { status: response.status, body: await response.json() as any }
}

/** Runs a test against a bridge process that is fed by a gRPC edge of this process. */
const withBridge = (
  test: (bridge: ReturnType<typeof startBridge> & { readonly nodes: EdgeNodesDouble }) => Promise<void>,
) =>
  withGrpcServer(
    ({ nodes, port }) => Effect.promise(() => test({ ...startBridge(port), nodes })),
    {},
    new RouterDouble(() => Effect.never),
  )

describe.concurrent("a process of `wavepose bridge`", () => {
  it.each([0, 1] as const)(
    "answers until a node of class %i speaks; then it ends with 2 and the reason",
    (privacyClass) =>
      withBridge(async ({ ended, nodes, ready }) => {
        nodes.say(edgeRecord("kitchen"))
        const url = await ready
        const vitals = await eventually(
          () => getJson(`${url}/api/v1/vitals/kitchen/latest`),
          ({ status }) => status === 200,
        )
        expect(vitals.body).toMatchObject({ node_id: "kitchen", breathing_rate_bpm: 14.25, privacy_class: 2 })
        nodes.say(edgeRecord("kitchen", { privacyClass, seenMs: nowMs + 1 }))
        const { code, stderr } = await ended
        expect(code).toBe(2)
        expect(stderr).toMatch(
          /Node kitchen: A record of privacy class (raw|derived) \([01]\) may not leave by the edge/,
        )
        await expect(fetch(`${url}/health`)).rejects.toThrow()
      }),
    patienceMs,
  )
})

const egressProcess = fileURLToPath(new URL("../harness/egress-process.ts", import.meta.url))
const script = (...args: ReadonlyArray<string>) => [...runtimeArguments().slice(0, -1), egressProcess, ...args]

describe("every other egress process", () => {
  it("exits with status 2 and the reason for class 0 and 1, and releases class 3", async () => {
    // Concurrent, because each case starts a runtime.
    // The bridge is above, and MQTT has processes of its own: `mqtt.test.ts`.
    const cases = [
      ...(["home", "webhook", "grpc"] as const).flatMap((destination) => [[destination, "0"], [destination, "1"]]),
      ["grpc", "3"],
    ] as const
    const ends = await Promise.all(cases.map((args) => started(script(...args)).ended))
    for (const [i, [destination, privacyClass]] of cases.entries()) {
      const { code, stderr, stdout } = ends[i]!
      const reported = Number(privacyClass) >= 2
      expect(code, `${destination} ${privacyClass}: ${stderr}`).toBe(reported ? 0 : 2)
      if (reported) expect(stdout).toContain("released")
      else expect(stderr).toMatch(/Node kitchen: A record of privacy class .* may not leave by/)
    }
  }, patienceMs)
})

const origin = "https://console.example"
const homeToken = "a-token-of-the-home-api"

/** Each face: a path that anyone may read, one whose answer is long, and one whose answer does not change; null: the face has none. */
const faces = [
  { face: "pose", open: "/api/v1/health", long: "/api/v1/openapi.json", constant: "/api/v1/openapi.json" },
  { face: "home", open: "/api/", long: "/api/services", constant: null },
  { face: "bridge", open: "/health", long: null, constant: null },
] as const

/** Asks without decoding the body. */
const asked = (url: string, headers: Record<string, string>, method = "GET") =>
  new Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>((resolve, reject) => {
    request(url, { headers: { authorization: `Bearer ${homeToken}`, ...headers }, method }, (response) => {
      response.resume()
      response.once("end", () => resolve({ status: response.statusCode!, headers: response.headers }))
    }).once("error", reject).end()
  })

describe("a service", () => {
  const services: Array<TestService> = []
  const start = async (privacyClass: string, args: ReadonlyArray<string>) => {
    const service = await startService({
      args,
      env: {
        WAVEPOSE_BRIDGE: "on",
        WAVEPOSE_PRIVACY_CLASS: privacyClass,
        WAVEPOSE_CORS_ORIGINS: origin,
        WAVEPOSE_HOME_CORS_ORIGINS: origin,
        WAVEPOSE_HOME_TOKENS: homeToken,
      },
    })
    services.push(service)
    return service
  }
  const bridgeOf = async (service: TestService): Promise<string> => {
    const ready = () => Promise.resolve(/"ready":"bridge","url":"([^"]*)"/.exec(service.output())?.[1] ?? "")
    return await eventually(ready, (url) => url !== "")
  }
  let restricted: TestService
  let raw: TestService
  const site = join(mkdtempSync(join(tmpdir(), "wavepose-site-")), "site.json")
  beforeAll(async () => {
    writeFileSync(site, JSON.stringify({ environmentId: "attic", name: "Attic", geometry: null, routers: ["attic-1"] }))
    ;[restricted, raw] = await Promise.all([
      start("restricted", ["--scenario", "one-link"]),
      start("anonymous,attic-1=raw", ["--source", "none", "--site", site]),
    ])
  }, patienceMs)
  afterAll(async () => {
    await Promise.all(services.map(({ stop }) => stop()))
    rmSync(dirname(site), { recursive: true })
  }, patienceMs)

  it("starts a bridge that serves its nodes' records, without the fields that their class forbids", async () => {
    const url = await bridgeOf(restricted)
    const { body } = await eventually(
      () => getJson(`${url}/api/v1/sensing/latest`),
      ({ status }) => status === 200,
      40_000,
    )
    expect(body).toMatchObject({
      schema_version: 2,
      privacy_class: 3,
      anomaly_score: null,
      breathing_rate_bpm: null,
      provenance: { source: "simulated" },
    })
    const registry = await getJson(`${url}/api/v1/edge/registry`)
    expect(registry.body.nodes).toContainEqual(expect.objectContaining({
      node_id: body.node_id,
      online: true,
      kind: "simulated",
      privacy_class: 3,
    }))
    const events = await getJson(`${url}/api/v1/semantic-events/${body.node_id}/latest`)
    expect(events.body).toMatchObject({
      events: { unknown_presence: { source: expect.stringContaining("Simulated") } },
      provenance: { source: "simulated" },
    })
    expect(events.body.events.unrecognized_activity_pattern).toMatchObject({ active: false, anomaly_score: null })
    expect(await getJson(`${url}/health`)).toMatchObject({ status: 200, body: { ok: true, source: "simulated" } })
    expect((await getJson(`${url}/api/v1/vitals/nobody/latest`)).status).toBe(503)
  }, patienceMs)

  it.each(faces)("answers pages, caches and compression at its $face as at its other faces", async (row) => {
    const base = { pose: restricted.pose, home: restricted.home, bridge: await bridgeOf(restricted) }[row.face]
    const varies = ({ headers }: Awaited<ReturnType<typeof asked>>) => (headers.vary ?? "").split(", ")

    const page = await asked(base + row.open, { origin })
    expect(page).toMatchObject({ status: 200, headers: { "access-control-allow-origin": origin } })
    expect(page.headers).toMatchObject({ "x-content-type-options": "nosniff" })
    expect(page.headers).not.toHaveProperty("access-control-allow-credentials")
    expect(varies(page)).toContain("Origin")
    const other = await asked(base + row.open, { origin: "https://other.example" })
    expect(other.headers).not.toHaveProperty("access-control-allow-origin")
    expect(varies(other)).toContain("Origin")

    const permission = { "access-control-request-method": "GET", "access-control-request-headers": "authorization" }
    const preflight = await asked(base + row.open, { origin, ...permission }, "OPTIONS")
    expect(preflight).toMatchObject({
      status: 200,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": expect.stringContaining("GET"),
        "access-control-allow-headers": expect.stringContaining("Authorization"),
        "access-control-max-age": "600",
        "referrer-policy": "no-referrer",
      },
    })

    if (row.long !== null) {
      const long = await asked(base + row.long, { "accept-encoding": "gzip" })
      expect(long).toMatchObject({ status: 200, headers: { "content-encoding": "gzip" } })
      expect(varies(long)).toContain("Accept-Encoding")
    }
    if (row.constant !== null) {
      const { etag = "" } = (await asked(base + row.constant, {})).headers
      expect(etag).toMatch(/^W\/"/)
      const unchanged = await asked(base + row.constant, { "if-none-match": etag, origin })
      expect(unchanged).toMatchObject({ status: 304, headers: { "access-control-allow-origin": origin, etag } })
    }
  }, patienceMs)

  it("ends its bridge when it ends", async () => {
    const url = await bridgeOf(restricted)
    await restricted.stop()
    services.splice(services.indexOf(restricted), 1)
    const answers = () => fetch(`${url}/health`).then(() => true, () => false)
    expect(await eventually(answers, (answered) => !answered)).toBe(false)
  }, patienceMs)

  it("continues without a bridge that the gate has closed, does not restart it, and reports it", async () => {
    const client = await signIn(raw)
    const edge = async () => (await client.get("/health/detailed")).body.components.edge
    const bridge = ({ ways_out }: { ways_out: ReadonlyArray<{ destination: string; status: string }> }) =>
      ways_out.find(({ destination }) => destination === "bridge")
    const shown = await eventually(edge, (found) => bridge(found)?.status === "refused", 40_000)
    expect(shown.status).toBe("degraded")
    expect(bridge(shown)).toEqual({
      destination: "bridge",
      status: "refused",
      reason: expect.stringMatching(/the privacy class of attic-1 \(raw\) must not leave/) as string,
    })
    expect(raw.output().match(/"ready":"bridge"/g)).toHaveLength(1)
    expect(raw.output()).toMatch(/Node attic-1: A record of privacy class raw \(0\) may not leave by the edge bridge/)
    expect((await client.get("/system/status")).body).toMatchObject({ status: "running" })
  }, patienceMs)
})
