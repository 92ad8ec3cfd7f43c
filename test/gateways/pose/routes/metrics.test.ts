import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, methodsOf, readContract, responseOf } from "../contract.ts"
import type { AnalyticsScope } from "../../../../protocols/ports/analytics.ts"
import { apiKey, type Gateway, startGateway, version } from "../harness.ts"
import { analyticsDouble } from "../ports.ts"
import { makeStatus } from "../world.ts"
import { eventually } from "../../../harness/service.ts"

let gateway: Gateway
let contract: Contract

beforeEach(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.stop())

const linux = process.platform === "linux"

describe.each(forms)("in the %s form", (form) => {
  const ask = async (path: string) => {
    const request = { method: "GET", path, form, token: await gateway.token("viewer") }
    const answer = await call(gateway.url, request)
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    expect(contract.disagreements(request, path.split("?")[0]!, answer)).toEqual([])
    return form === "bare" ? answer.json : answer.json.data
  }

  it("detailed health has the status of each component", async () => {
    const body = await ask("/health/detailed")
    expect(body).toMatchObject({
      overall_status: "healthy",
      version,
      components: {
        api: { status: "healthy", response_time_ms: expect.any(Number), requests_per_second: expect.any(Number) },
        database: { status: "healthy", connection_pool: "2/10", query_time_ms: 1 },
        cache_store: { status: "disabled", memory_usage: null, connected_clients: null },
        neural_network: { status: "disabled", model_loaded: false, gpu_memory_usage: null, inference_queue: null },
        csi_processor: { status: "active", data_rate: 99.5, buffer_usage: null },
      },
      metrics: { memory_usage: expect.any(Number), disk_usage: expect.any(Number) },
    })
    expect(body.metrics.network_io.bytes_in).toBeGreaterThan(100)
    expect(body.metrics.network_io.bytes_out).toBeGreaterThan(1000)
    expect(body.reasons["components.cache_store"]).toContain("no cache store")
    expect(body.reasons["components.database.connection_pool"]).toBe(undefined)
  })

  it("detailed health is degraded without a store, a silent environment or a session in error, and not when stopped", async () => {
    gateway.world.storeFails = true
    const down = await ask("/health/detailed")
    expect(down).toMatchObject({
      overall_status: "degraded",
      components: { database: { status: "unavailable", connection_pool: null, query_time_ms: null } },
    })
    expect(down.reasons["components.database.query_time_ms"]).toContain("did not answer")
    gateway.world.storeFails = false
    gateway.world.describe = () => "broken"
    expect(await ask("/health/detailed")).toMatchObject({ overall_status: "degraded" })
    gateway.world.describe = makeStatus
    gateway.world.session = { ...gateway.world.session, status: "error", failure: "broken" }
    expect(await ask("/health/detailed")).toMatchObject({ overall_status: "degraded" })
    gateway.world.session = { ...gateway.world.session, status: "stopped", failure: null }
    expect(await ask("/health/detailed")).toMatchObject({
      overall_status: "healthy",
      components: { csi_processor: { status: "disabled" } },
    })
  })

  it("metrics have current values and the history that this node has sampled", async () => {
    // The first sample is taken beside the start.
    const body = await eventually(() => ask("/metrics"), ({ historical }) => historical.length > 0)
    expect(body.current).toMatchObject({
      performance: {
        frames_per_second: 10,
        average_latency_ms: 31.5,
        processing_queue_size: null,
        error_rate: 0,
        event_loop_lag_ms: expect.any(Number),
      },
      resources: { memory_usage: expect.any(Number), gpu_usage: null, process_memory_bytes: expect.any(Number) },
      business: { active_persons: 2, detections_per_minute: null, tracking_accuracy: null, track_quality: 0.8 },
    })
    expect(body.current.resources.process_memory_bytes).toBeGreaterThan(1e6)
    if (linux) expect(body.current.resources.disk_io.read_mb_per_sec).toBeGreaterThanOrEqual(0)
    expect(body.historical).toMatchObject([{ frames_per_second: 10, average_latency_ms: 31.5, source: "node" }])
    for (const name of ["performance.processing_queue_size", "resources.gpu_usage", "business.tracking_accuracy"]) {
      expect(body.reasons[`current.${name}`], name).toBeTypeOf("string")
    }
  })

  it("metrics of one type, and of a range before this node began", async () => {
    const body = await ask(
      "/metrics?metric_type=business&start_time=2026-01-05T00:00:00Z&end_time=2026-01-05T01:00:00Z",
    )
    expect(Object.keys(body.current)).toEqual(["timestamp", "business"])
    expect(body.historical).toEqual([])
    expect(Object.keys(body.reasons).every((path) => path.startsWith("current.business."))).toBe(true)
  })

  it("metrics without a store have what the node has measured, and say what is missing", async () => {
    await eventually(() => ask("/metrics"), ({ historical }) => historical.length > 0)
    gateway.world.storeFails = true
    const { current, historical, reasons } = await ask("/metrics?start_time=2026-01-05T00:00:00Z")
    expect(current).toMatchObject({
      performance: { frames_per_second: 10 },
      business: { active_persons: 2, detections_per_minute: null },
    })
    expect(historical).toMatchObject([{ source: "node" }])
    expect(reasons["current.business.detections_per_minute"]).toContain("database did not answer")
    expect(reasons["historical"]).toContain("database did not answer")
  })
})

it("metrics have the points of a long range, however long the store takes for them", async () => {
  const clock = await Effect.runPromise(Effect.scoped(TestClock.make()))
  const point = { startMs: -60_000, frames: 600, countedFrames: 600, personFrames: 900, processingMsSum: 0 }
  const analytics = {
    ...analyticsDouble(gateway.world),
    rates: ({ fromMs, toMs }: AnalyticsScope) =>
      toMs - fromMs > 60_000
        ? Effect.as(clock.adjust("10 seconds"), [{ ...point, startMs: fromMs }])
        : Effect.succeed([point]),
  }
  const slow = await startGateway({}, { analytics, clock })
  const path = "/metrics?start_time=1969-01-01T00:00:00Z&end_time=1969-12-31T00:00:00Z"
  const { json, status } = await call(slow.url, { method: "GET", path, token: await slow.token("viewer") })
  await slow.stop()
  expect(status).toBe(200)
  expect(json.current.business.detections_per_minute).toBe(900)
  expect(json.historical).toMatchObject([{ source: "store" }])
  expect(json.reasons).not.toHaveProperty("historical")
})

it("metrics reject a reversed range and an unknown type", async () => {
  const token = await gateway.token("viewer")
  for (
    const query of [
      "start_time=2026-01-05T02:00:00Z&end_time=2026-01-05T01:00:00Z",
      "metric_type=network",
      "start_time=now",
    ]
  ) {
    expect((await call(gateway.url, { method: "GET", path: `/metrics?${query}`, token })).status).toBe(422)
  }
  expect((await call(gateway.url, { method: "GET", path: "/metrics" })).status).toBe(401)
})

it("there is no number of persons while no environment counts them", async () => {
  gateway.world.describe = (environmentId) => ({ ...makeStatus(environmentId), activeTracks: null })
  const token = await gateway.token("viewer")
  const { json } = await call(gateway.url, { method: "GET", path: "/metrics", token })
  expect(json.current.business.active_persons).toBe(null)
  expect(json.reasons["current.business.active_persons"]).toContain("counts persons")
  const metrics = async () => {
    const response = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return response.text()
  }
  expect(await metrics()).not.toContain("wavepose_active_tracks")
  gateway.world.describe = makeStatus
  expect(await metrics()).toMatch(/^wavepose_active_tracks\{.*\} 2$/m)
})

it("errors are counted, and a summary of a range since the node's start has them", async () => {
  const token = await gateway.token("viewer")
  const began = Date.now()
  gateway.world.latest = () => "broken"
  expect((await call(gateway.url, { method: "GET", path: "/pose/latest", token })).status).toBe(500)
  const summary = async (fromMs: number) => {
    const times = { start_time: new Date(fromMs).toISOString(), end_time: new Date(Date.now() + 1000).toISOString() }
    return (await call(gateway.url, { method: "GET", path: `/analytics/summary?${new URLSearchParams(times)}`, token }))
      .json
  }
  expect((await summary(began)).system_stats.error_count).toBe(1)
  expect((await summary(began - 3_600_000)).system_stats.error_count).toBe(null)
  const { json } = await call(gateway.url, { method: "GET", path: "/metrics", token })
  expect(json.current.performance.error_rate).toBeGreaterThan(0)
})

describe("the text for Prometheus", () => {
  const scrape = async (headers: Record<string, string> = { "X-API-Key": apiKey }) => {
    const response = await fetch(`${gateway.url}/metrics`, { headers })
    return { response, text: await response.text() }
  }
  /** Series of the text by their names and labels. */
  const seriesOf = (text: string): ReadonlyMap<string, number> =>
    new Map(
      text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
        const [, name, value] = /^(\S+?(?:\{.*\})?) (\S+)$/.exec(line)!
        return [name!, Number(value)]
      }),
    )

  it("is at the root and requires the permission read", async () => {
    const { response, text } = await scrape()
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect(text.endsWith("\n")).toBe(true)
    expect((await scrape({})).response.status).toBe(401)
    expect((await scrape({ Authorization: `Bearer ${await gateway.token("viewer")}` })).response.status).toBe(200)
  })

  it("has the process, the store and each environment, every family with its type once", async () => {
    const { text } = await scrape()
    const series = seriesOf(text)
    expect(series.get(`wavepose_build_info{version="${version}"}`)).toBe(1)
    expect(series.get("process_resident_memory_bytes")).toBeGreaterThan(1e6)
    expect(series.get("process_cpu_seconds_total")).toBeGreaterThan(0)
    expect(series.get("wavepose_database_up")).toBe(1)
    expect(series.get("wavepose_system_running")).toBe(1)
    expect(series.get(`wavepose_frames_total{environment_id="living-room"}`)).toBe(120)
    expect(series.get(`wavepose_frames_per_second{environment_id="living-room"}`)).toBe(10)
    // Not known, so not there.
    expect(text).not.toContain("wavepose_inference_seconds")
    const types = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram|summary)$/gm)].map(([, name]) => name)
    expect(new Set(types).size).toBe(types.length)
    for (const name of series.keys()) {
      const family = name.replace(/\{.*/, "").replace(/_(bucket|sum|count)$/, "")
      expect(types.some((type) => type === family || type === name.replace(/\{.*/, "")), name).toBe(true)
    }
  })

  it("has what is shed, the drops of each sender, and the shards of the node", async () => {
    const { world } = gateway
    world.describe = (id) => ({
      ...makeStatus(id),
      pace: { effort: "every_second_hop", shedHops: 40, routerHops: 7, missedHops: 3, sheds: true },
    })
    world.datagrams.ruview = {
      received: 9_000,
      accepted: 100,
      dropped: { shed: 5, rate_limited: 7_000 },
      routers: [{
        routerId: "node-9",
        lastDatagramMs: 0,
        frames: 105,
        droppedFrames: 5,
        lastDrop: null,
        lastReport: null,
        signed: null,
        binOrder: null,
      }],
      foreignSenders: [],
      limitedSenders: [{ address: "10.0.0.9", datagrams: 7_000 }],
    }
    world.cluster = {
      members: [
        { address: "10.0.0.1:50052", healthy: true, groups: ["sensing"], self: true },
        { address: "10.0.0.2:50052", healthy: true, groups: ["sensing"], self: false },
        { address: "10.0.0.3:50052", healthy: false, groups: ["sensing"], self: false },
      ],
      shards: 64,
      acquired: 96,
      released: 32,
      lost: 1,
      refreshFailures: 2,
      refreshMs: 12,
    }
    world.kernels = { backend: "typed-arrays", device: "float64", reason: "wasm was lost", skipped: [], lost: 2 }
    const series = seriesOf((await scrape()).text)
    const expected: ReadonlyArray<readonly [string, number]> = [
      [`wavepose_kernels_backend{backend="typed-arrays"}`, 1],
      ["wavepose_kernels_backends_lost_total", 2],
      [`wavepose_hops_shed_total{environment_id="living-room",stage="environment"}`, 40],
      [`wavepose_hops_shed_total{environment_id="living-room",stage="router"}`, 7],
      [`wavepose_environment_answers{environment_id="living-room"}`, 1],
      [`wavepose_hops_shed_total{environment_id="living-room",stage="source"}`, 3],
      [`wavepose_effort_level{environment_id="living-room"}`, 3],
      [`wavepose_datagrams_received_total{kind="ruview"}`, 9_000],
      [`wavepose_datagrams_dropped_total{kind="ruview",reason="rate_limited"}`, 7_000],
      [`wavepose_router_datagram_frames_dropped_total{kind="ruview",router_id="node-9"}`, 5],
      [`wavepose_sender_datagrams_limited_total{kind="ruview",address="10.0.0.9"}`, 7_000],
      ["wavepose_cluster_nodes", 2],
      ["wavepose_cluster_shards", 64],
      ["wavepose_cluster_shards_acquired_total", 96],
      ["wavepose_cluster_locks_lost_total", 1],
      ["wavepose_cluster_lock_refresh_seconds", 0.012],
    ]
    for (const [name, value] of expected) expect(series.get(name), name).toBe(value)
    world.cluster = null
    expect((await scrape()).text).not.toContain("wavepose_cluster_")
  })

  it("omits a removed environment, and escapes names", async () => {
    gateway.world.describe = (environmentId) => ({ ...makeStatus(environmentId), framesPerSecond: null })
    expect((await scrape()).text).not.toContain("wavepose_frames_per_second")
    gateway.world.environments = []
    expect((await scrape()).text).not.toContain("living-room")
  })

  it("counts requests by route and status, with durations, and takes no label from a client", async () => {
    const token = await gateway.token("viewer")
    for (let i = 0; i < 3; i++) await call(gateway.url, { method: "GET", path: "/pose/latest", token })
    await call(gateway.url, { method: "GET", path: "/pose/latest" })
    await call(gateway.url, { method: "GET", path: "/nowhere/at/all", token })
    await call(gateway.url, { method: "GET", path: "/pose/tracking/41", token })
    const series = seriesOf((await scrape()).text)
    const count = (route: string, status: number) =>
      series.get(`wavepose_http_requests_total{method="GET",route="${route}",status="${status}"}`)
    expect(count("/api/v1/pose/latest", 200)).toBe(3)
    expect(count("/api/v1/pose/latest", 401)).toBe(1)
    expect(count("none", 404)).toBe(1)
    expect(count("/api/v1/pose/tracking/{track_id}", 404)).toBe(1)
    const times = `wavepose_http_request_duration_seconds`
    const labels = `method="GET",route="/api/v1/pose/latest"`
    expect(series.get(`${times}_count{${labels}}`)).toBe(4)
    expect(series.get(`${times}_bucket{${labels},le="+Inf"}`)).toBe(4)
    expect(series.get(`${times}_sum{${labels}}`)).toBeGreaterThan(0)
    // The two pages called /metrics are not one.
    expect(
      seriesOf((await scrape()).text).get(`wavepose_http_requests_total{method="GET",route="/metrics",status="200"}`),
    )
      .toBe(1)
    expect([...series.keys()].join()).not.toContain("nowhere")
  })
})

describe("the documentation page", () => {
  it("is public, and loads only its style sheet and its script", async () => {
    const response = await fetch(`${gateway.url}/docs`)
    const page = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';/,
    )
    expect(page).not.toMatch(/<script>|<script (?!src="docs\/script.js" defer>)|style="|javascript:|\son\w+=/i)
    const links = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link]) =>
      new URL(link!, `${gateway.url}/docs`)
    )
    // Of this origin alone, as the policy allows, and nothing by another way: no element that loads, no address in the style.
    const files = ["docs/style.css", "docs/script.js", "api/v1/asyncapi.json"]
    expect(links.map(({ href }) => href)).toEqual(files.map((file) => `${gateway.url}/${file}`))
    expect(page).not.toMatch(
      /<(?:base|embed|frame|iframe|img|object|svg|video|audio)[\s>]|http-equiv|srcset|url\(/i,
    )
    const style = await fetch(links[0]!)
    expect([style.status, style.headers.get("content-type"), style.headers.get("x-content-type-options")]).toEqual([
      200,
      "text/css; charset=utf-8",
      "nosniff",
    ])
    expect(await style.text()).not.toMatch(/@import|url\(|https?:/i)
  })

  it("has every operation of the served document, its fields and its failures", async () => {
    const page = await (await fetch(`${gateway.url}/docs`)).text()
    for (const [path, methods] of Object.entries(contract.document.paths)) {
      expect(page, path).toContain(`<code>${path}</code>`)
      for (const method of methodsOf(methods)) {
        const { operationId } = methods[method]!
        expect(page.split(`id="${operationId}"`), operationId).toHaveLength(2)
        expect(page, operationId).toContain(`href="#${operationId}"`)
      }
    }
    for (
      const text of [
        "min_confidence",
        "detection_stats.unique_persons",
        "persons[].keypoints[].name",
        "SERVICE_UNAVAILABLE",
      ]
    ) {
      expect(page, text).toContain(text)
    }
  })

  it("is well-formed HTML", async () => {
    const page = await (await fetch(`${gateway.url}/docs`)).text()
    const open: Array<string> = []
    for (const [, slash, name] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/g)) {
      if (["meta", "link", "br", "input"].includes(name!)) continue
      if (slash === "") open.push(name!)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
    // No sign of markup that is no tag.
    expect(page.replace("<!doctype html>", "").replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/g, "")).not.toMatch(/[<>]/)
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  it("is documented, and answers errors in JSON", async () => {
    const { document } = contract
    const typesOf = (path: string) => Object.keys(responseOf(document, document.paths[path]!["get"]!, 200)!.content!)
    expect(typesOf("/docs")).toEqual(["text/html"])
    expect(typesOf("/metrics")).toEqual(["text/plain"])
    const refused = await fetch(`${gateway.url}/docs?page=2`)
    expect([refused.status, refused.headers.get("content-type")]).toEqual([422, "application/json; charset=utf-8"])
    expect((await fetch(`${gateway.url}/docs`, { method: "POST" })).status).toBe(405)
    expect((await fetch(`${gateway.url}/docs`, { method: "HEAD" })).status).toBe(200)
  })
})
