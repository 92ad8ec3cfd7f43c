/** Errors, limits and health of the gRPC edge, read as the libraries of other languages read them. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"
import { defaultConnectionLimits } from "../../../gateways/access/connection-limits.ts"
import { poseFrame, until } from "../cluster.ts"
import { ampleRules } from "../pose/harness.ts"
import { metadata, openWatch, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"
import { HealthClient } from "./tools.ts"

/** As published in googleapis. */
const { root } = protobuf.parse(
  `
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message RequestInfo { string request_id = 1; }
  message FieldViolation { string field = 1; string description = 2; }
  message BadRequest { repeated FieldViolation field_violations = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
`,
  { keepCase: true },
)

interface Ended {
  readonly status: grpc.StatusObject
  readonly head: grpc.Metadata | null
  // deno-lint-ignore no-explicit-any
  readonly details: Record<string, any>
}

const typeOf = (name: string) => root.lookupType(name)

const detailsOf = (status: grpc.StatusObject): Ended["details"] => {
  const [bytes] = status.metadata.get("grpc-status-details-bin")
  if (bytes === undefined) return {}
  const message = typeOf("google.rpc.Status").decode(bytes as Buffer) as unknown as {
    readonly code: number
    readonly message: string
    readonly details: ReadonlyArray<{ readonly type_url: string; readonly value: Uint8Array }>
  }
  expect(message).toMatchObject({ code: status.code, message: status.details })
  return Object.fromEntries(message.details.map(({ type_url, value }) => {
    const type = typeOf(type_url.replace("type.googleapis.com/", ""))
    return [type.name, type.toObject(type.decode(value), { longs: Number, defaults: true })]
  }))
}

/** Calls `PoseService.GetLatestPose` with these bytes. */
const latest = (client: grpc.Client, bytes: Uint8Array, sent: Record<string, string>) =>
  Effect.callback<Ended>((resume) => {
    let head: grpc.Metadata | null = null
    const path = "/wavepose.v1.PoseService/GetLatestPose"
    const same = (value: Uint8Array) => Buffer.from(value)
    const call = client.makeUnaryRequest(path, same, same, bytes, metadata(sent), () => {})
    call.on("metadata", (received: grpc.Metadata) => head = received)
    call.on(
      "status",
      (status: grpc.StatusObject) => resume(Effect.sync(() => ({ status, head, details: detailsOf(status) }))),
    )
  })

const operator = { "x-api-key": "operator" }
const limitsOf = (limit: number) => ({
  rules: { ...ampleRules, rest: { limit, windowS: 3_600 } },
  connections: defaultConnectionLimits,
})

describe("gRPC edge: errors", () => {
  it("have the code, the details and the request id of the REST error", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { details, head, status } = yield* latest(client, new Uint8Array(), {
            ...operator,
            "x-request-id": "mine-1",
          })
          expect(status.code).toBe(grpc.status.NOT_FOUND)
          expect(details).toMatchObject({
            ErrorInfo: { reason: "POSE_DATA_NOT_FOUND", domain: "wavepose" },
            RequestInfo: { request_id: "mine-1" },
          })
          expect(head!.get("x-request-id")).toEqual(["mine-1"])
          const other = yield* latest(client, new Uint8Array(), { "x-request-id": "not an id" })
          expect(other.status.code).toBe(grpc.status.UNAUTHENTICATED)
          expect(other.details).toMatchObject({ ErrorInfo: { reason: "AUTHENTICATION_ERROR" } })
          expect(other.details["RequestInfo"].request_id).toMatch(/^[0-9a-f-]{36}$/)
        }))
    ))

  it("reject a key without the scope of the method, unary and streamed", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const limited = { "x-api-key": "events-only" }
          const { status } = yield* latest(client, new Uint8Array(), limited)
          expect([status.code, status.details]).toEqual([
            grpc.status.PERMISSION_DENIED,
            `This API key does not have the scope "read:poses". Ask an administrator.`,
          ])
          const { result } = openWatch(client, "", metadata(limited))
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.PERMISSION_DENIED)
        }))
    ))

  it("reject a request that is no message, naming it", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { details, status } = yield* latest(client, Uint8Array.of(0x0a, 0xff, 0x01), operator)
          expect(status.code).toBe(grpc.status.INVALID_ARGUMENT)
          expect(details["BadRequest"].field_violations).toMatchObject([{ field: "request" }])
        }))
    ))

  it("name the invalid fields", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { result } = openWatch(client, "room", metadata(operator), 3, "other")
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.INVALID_ARGUMENT)
          expect(detailsOf(result.status!)).toMatchObject({
            ErrorInfo: { reason: "VALIDATION_ERROR" },
            BadRequest: { field_violations: [{ field: "after_frame_ids", description: expect.any(String) }] },
          })
        }))
    ))
})

describe("gRPC edge: limits", () => {
  it("are those of the caller's REST requests, with the time of a retry", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 1))
          const ends = yield* Effect.forEach([1, 2, 3], () => latest(client, new Uint8Array(), operator))
          const { OK, RESOURCE_EXHAUSTED } = grpc.status
          expect(ends.map(({ status }) => status.code)).toEqual([OK, OK, RESOURCE_EXHAUSTED])
          expect(ends.map(({ head }) => head!.get("x-ratelimit-remaining"))).toEqual([["1"], ["0"], ["0"]])
          const { details } = ends[2]!
          expect(details).toMatchObject({ ErrorInfo: { reason: "RATE_LIMIT_EXCEEDED", metadata: { limit: "2" } } })
          expect(details["RetryInfo"].retry_delay.seconds).toBeGreaterThan(0)
          const viewer = yield* latest(client, new Uint8Array(), { "x-api-key": "viewer" })
          expect(viewer.status.code).toBe(OK)
        })), { limits: limitsOf(2) }))

  it("bound the open streams of an account, until one ends", () =>
    withServer(({ port, stored }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          stored.store(poseFrame("room", 1))
          stored.store(poseFrame("room", 2))
          // A stream that resumes has a frame at once.
          const open = Array.from({ length: 10 }, () => openWatch(client, "room", metadata(operator), 1))
          yield* until(() => open.every(({ frames }) => frames().length > 0))
          const { result } = openWatch(client, "room", metadata(operator), 1)
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.RESOURCE_EXHAUSTED)
          expect(detailsOf(result.status!)).toMatchObject({
            ErrorInfo: { reason: "RATE_LIMIT_EXCEEDED" },
            RetryInfo: {},
          })
          open[0]!.call.cancel()
          yield* until(() => open[0]!.result.status !== null)
          // The client may know of its end before the server does.
          let again = openWatch(client, "room", metadata(operator), 1)
          yield* until(() => {
            if (again.result.status !== null) again = openWatch(client, "room", metadata(operator), 1)
            return again.frames().length > 0
          })
          for (const { call } of [...open, again]) call.cancel()
        })), { limits: limitsOf(1_000_000) }))
})

describe("gRPC edge: health", () => {
  it("says that PoseService does not serve while the system is stopped, and that the server does", () =>
    withServer((site) =>
      Effect.gen(function* () {
        const health = new HealthClient(site.port)
        site.systemStatus = "stopped"
        const seen = health.watch("wavepose.v1.PoseService")
        yield* until(() => seen.at(-1) === "NOT_SERVING")
        expect(yield* Effect.promise(() => health.check(""))).toBe("SERVING")
        expect(yield* Effect.promise(() => health.check("wavepose.v1.CsiIngestService"))).toBe("SERVING")
        site.systemStatus = "running"
        yield* until(() => seen.at(-1) === "SERVING")
        health.close()
      })
    ))
})
