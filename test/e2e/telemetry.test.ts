/** Traces of frames and metrics, as a collector receives them by OTLP/HTTP. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { signIn, startService, type TestService } from "../harness/service.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

interface Metric {
  readonly name: string
  readonly sum?: {
    readonly isMonotonic: boolean
    readonly aggregationTemporality: number
    readonly dataPoints: ReadonlyArray<Point>
  }
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
}

interface Point {
  readonly asDouble?: number
  readonly asInt?: string | number
  readonly attributes: Span["attributes"]
}

/** Of the newest export, by name. */
const metrics = new Map<string, Metric>()
/** Attributes of the sender, by kind of telemetry. */
const resources: Record<"metrics" | "traces", Span["attributes"]> = { metrics: [], traces: [] }

const stages = ["archive", "decode", "environment", "frame", "gateway", "reduce"]
const traces = new Map<string, Array<Span>>()
const authorizations = new Set<string | undefined>()
const listeners = new Set<() => void>()
let collector: Server
let service: TestService
let socket: WebSocket
let token: string

const collectMetrics = (text: string): number => {
  const body = JSON.parse(text) as {
    readonly resourceMetrics: ReadonlyArray<{
      readonly resource: { readonly attributes: Span["attributes"] }
      readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<Metric> }>
    }>
  }
  metrics.clear()
  for (const each of body.resourceMetrics) {
    resources.metrics = each.resource.attributes
    for (const metric of each.scopeMetrics.flatMap((scope) => scope.metrics)) metrics.set(metric.name, metric)
  }
  for (const listener of listeners) listener()
  return 200
}

/** Takes what a collector takes: OTLP's JSON at its path. */
const collect = (path: string | undefined, text: string): number => {
  if (path === "/v1/metrics") return collectMetrics(text)
  if (path !== "/v1/traces") return 404
  const body = JSON.parse(text) as {
    readonly resourceSpans: ReadonlyArray<{
      readonly resource: { readonly attributes: Span["attributes"] }
      readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
    }>
  }
  for (const { resource, scopeSpans } of body.resourceSpans) {
    resources.traces = resource.attributes
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      traces.set(span.traceId, [...traces.get(span.traceId) ?? [], span])
    }
  }
  for (const listener of listeners) listener()
  return 200
}

beforeAll(async () => {
  collector = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    authorizations.add(request.headers.authorization)
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => response.writeHead(collect(request.url, Buffer.concat(pieces).toString())).end("{}"))
  })
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  service = await startService({
    args: ["--scenario", "small-room"],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      WAVEPOSE_TRACE_RATIO: "0.5",
    },
  })
  token = (await signIn(service)).token
  socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose`, {
    headers: { authorization: `Bearer ${token}` },
  })
  socket.once("open", () => socket.send(JSON.stringify({ type: "subscribe", channel: "pose_updates" })))
}, 60_000)
afterAll(async () => {
  socket?.terminate()
  await service?.stop()
  collector?.closeAllConnections()
  collector?.close()
}, 60_000)

/** Resolves with what is found, as soon as the collector has it. */
const received = <A>(find: () => A | undefined): Promise<A> =>
  new Promise((resolve) => {
    const look = () => {
      const found = find()
      if (found !== undefined) resolve(found)
    }
    listeners.add(look)
    look()
  })

const whole = (): ReadonlyArray<Span> | undefined =>
  [...traces.values()].find((spans) => stages.every((stage) => spans.some(({ name }) => name === stage)))

describe("a traced frame", () => {
  it("has a span of each stage, from the router's batch to the gateway", async () => {
    const spans = await received(whole)
    const [root] = spans.filter(({ name }) => name === "frame")
    expect(root).not.toHaveProperty("parentSpanId")
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/)
      if (span !== root) expect(span.parentSpanId).toBe(root!.spanId)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
      expect(span.attributes).toContainEqual({
        key: "wavepose.environment_id",
        value: { stringValue: "small-room" },
      })
    }
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
    const routers = spans.filter(({ name }) => name === "reduce")
      .flatMap(({ attributes }) => attributes.filter(({ key }) => key === "wavepose.router_id"))
    expect(new Set(routers.map(({ value }) => value["stringValue"])).size).toBeGreaterThan(1)
    expect([...authorizations]).toEqual(["Bearer collector"])
    const instanceOf = (attributes: Span["attributes"]) => attributes.find(({ key }) => key === "service.instance.id")
    await received(() => resources.metrics.length > 0 || undefined)
    expect(instanceOf(resources.traces)).toBeDefined()
    expect(instanceOf(resources.traces)).toEqual(instanceOf(resources.metrics))
  }, 120_000)
})

describe("metrics", () => {
  const framesOf = () =>
    metrics.get("wavepose_frames_total")?.sum?.dataPoints.find(({ asDouble }) => asDouble !== undefined && asDouble > 0)

  it("are those of the Prometheus page, under the same names", async () => {
    const point = await received(framesOf)
    expect(point.attributes).toContainEqual({ key: "environment_id", value: { stringValue: "small-room" } })
    expect(metrics.get("wavepose_frames_total")!.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 })
    expect(metrics.get("wavepose_database_up")!.gauge!.dataPoints[0]!.asDouble).toBe(1)
    expect(resources.metrics.map(({ key }) => key)).toEqual(
      expect.arrayContaining(["service.name", "service.instance.id"]),
    )
    const page = await fetch(`${service.pose}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    const names = [...(await page.text()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(20)
    // A series begins with its first value, which may be later than the last export.
    await received(() => names.every((name) => metrics.has(name)) || undefined)
  }, 120_000)
})
