/** Traces of frames, as a collector receives them by OTLP/HTTP. */
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

const stages = ["archive", "decode", "environment", "frame", "gateway", "reduce"]
const traces = new Map<string, Array<Span>>()
const authorizations = new Set<string | undefined>()
const listeners = new Set<() => void>()
let collector: Server
let service: TestService
let socket: WebSocket

/** Takes what a collector takes: OTLP's JSON at its path. */
const collect = (path: string | undefined, text: string): number => {
  if (path !== "/v1/traces") return 404
  const body = JSON.parse(text) as {
    readonly resourceSpans: ReadonlyArray<
      { readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }
    >
  }
  for (const { scopeSpans } of body.resourceSpans) {
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
      WAVEPOSE_TRACE_RATIO: "0.5",
    },
  })
  const { token } = await signIn(service)
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

const whole = (): ReadonlyArray<Span> | undefined =>
  [...traces.values()].find((spans) => stages.every((stage) => spans.some(({ name }) => name === stage)))

describe("a traced frame", () => {
  it("has a span of each stage, from the router's batch to the gateway", async () => {
    const spans = await new Promise<ReadonlyArray<Span>>((resolve) => {
      const look = () => {
        const found = whole()
        if (found !== undefined) resolve(found)
      }
      listeners.add(look)
      look()
    })
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
  }, 120_000)
})
