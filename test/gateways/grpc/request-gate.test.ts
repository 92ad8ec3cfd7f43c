/** What requests can make the gRPC edge hold: before admission, by size and by time. */
import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Admission } from "../../../gateways/grpc/admission.ts"
import { makeRequestGate, strangerBytesMax } from "../../../gateways/grpc/request-gate.ts"
import { strangerRequestsMax } from "../../../gateways/grpc/stranger-bound.ts"
import { poseFrame, until } from "../cluster.ts"
import { metadata, openIngest, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"

const { DEADLINE_EXCEEDED, OK, RESOURCE_EXHAUSTED, UNAUTHENTICATED } = grpc.status
const operator = metadata({ "x-api-key": "operator" })
const latest = "/wavepose.v1.PoseService/GetLatestPose"
const health = "/grpc.health.v1.Health/Check"
const same = (bytes: Uint8Array) => Buffer.from(bytes)

/** Opens a call of any method, and does not end its request. */
const begin = (client: grpc.Client, path: string, credentials: grpc.Metadata) => {
  const result: { status: grpc.StatusObject | null } = { status: null }
  const call = client.makeClientStreamRequest(path, same, same, credentials, () => {})
  call.on("status", (status: grpc.StatusObject) => result.status = status)
  return { call, result }
}

/** A message of this length without a known field. */
const requestOf = (length: number): Uint8Array => {
  const bytes = Buffer.alloc(length)
  // Field 1000 with all bytes after its length.
  bytes.set([0xc2, 0x3e])
  const payload = length - 6
  for (let i = 0; i < 4; i++) bytes[2 + i] = (payload >> (7 * i)) & 0x7f | (i < 3 ? 0x80 : 0)
  return bytes
}

const codeOf = (client: grpc.Client, path: string, bytes: Uint8Array, credentials: grpc.Metadata) =>
  Effect.callback<grpc.status>((resume) => {
    client.makeUnaryRequest(
      path,
      same,
      same,
      bytes,
      credentials,
      (error) => resume(Effect.succeed(error === null ? OK : error.code)),
    )
  })

const unary = { path: health, requestStream: false }
const reflection = { path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", requestStream: true }

interface GatedCall {
  readonly ended: ReadonlyArray<grpc.status | undefined>
  /** What grpc-js calls when something of the call arrives. */
  readonly listener: { onReceiveMessage(message: unknown): void; onReceiveHalfClose(): void }
}

/** Calls of methods that need no credentials through a gate, on a test clock; each until it is read from, or has ended. */
const withGate = (
  body: (
    open: (method: typeof unary, address?: string) => Effect.Effect<GatedCall>,
  ) => Generator<Effect.Effect<unknown>, void, never>,
) =>
  Effect.gen(function* () {
    const gate = makeRequestGate(
      { uuid: () => "id", trustedProxies: () => false } as unknown as Admission,
      Effect.runForkWith(yield* Effect.context()),
    )
    const open = Effect.fnUntraced(function* (method: typeof unary, address = "127.0.0.1") {
      const ended: Array<grpc.status | undefined> = []
      const begun = yield* Deferred.make<void>()
      let listener: GatedCall["listener"] | undefined
      const call = {
        start: (given: GatedCall["listener"] & { onReceiveMetadata(metadata: grpc.Metadata): void }) => {
          listener = given
          given.onReceiveMetadata(new grpc.Metadata())
        },
        sendStatus: ({ code }: { readonly code?: grpc.status }) => {
          ended.push(code)
          Deferred.doneUnsafe(begun, Effect.void)
        },
        getPeer: () => `${address}:1`,
      }
      const intercepted = call as unknown as grpc.ServerInterceptingCallInterface
      gate.interceptor(method as Parameters<typeof gate.interceptor>[0], intercepted).start({
        onReceiveMetadata: () => void Deferred.doneUnsafe(begun, Effect.void),
        onReceiveMessage: () => {},
        onReceiveHalfClose: () => {},
        onCancel: () => {},
      })
      yield* Deferred.await(begun)
      return { ended, listener: listener! }
    })
    yield* Effect.gen(() => body(open))
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("gRPC edge: requests", () => {
  it.each([latest, "/wavepose.v1.PoseService/WatchPoses"])(
    "are not waited for where the caller is not admitted: %s",
    (path) =>
      withServer(({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { result } = begin(client, path, metadata({ "x-api-key": "wrong" }))
            yield* until(() => result.status !== null)
            expect(result.status!.code).toBe(UNAUTHENTICATED)
          }))
      ),
  )

  it("are as long as their method takes", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 1))
          const nobody = new grpc.Metadata()
          expect(yield* codeOf(client, health, requestOf(strangerBytesMax), nobody)).toBe(OK)
          expect(yield* codeOf(client, health, requestOf(strangerBytesMax + 1), nobody)).toBe(RESOURCE_EXHAUSTED)
          expect(yield* codeOf(client, latest, requestOf(1024 * 1024), operator)).toBe(OK)
          expect(yield* codeOf(client, latest, requestOf(1024 * 1024 + 1), operator)).toBe(RESOURCE_EXHAUSTED)
          const { acks, call } = openIngest(client)
          call.write(requestOf(16 * 1024 * 1024))
          yield* until(() => acks.length === 1)
          expect(acks).toMatchObject([{ errorCode: "invalid_batch" }])
          call.cancel()
        }))
    ))

  it.each([false, true])(
    "of one message end after a minute if they are not complete: half-closed %s",
    (isComplete) =>
      withGate(function* (open) {
        const { ended, listener } = yield* open(unary)
        if (isComplete) listener.onReceiveHalfClose()
        yield* TestClock.adjust("59 seconds")
        expect(ended).toEqual([])
        yield* TestClock.adjust("1 second")
        expect(ended).toEqual(isComplete ? [] : [DEADLINE_EXCEEDED])
      }),
  )

  it.each([false, true])(
    "of a stream of an unknown caller end a minute after the last message: half-closed %s",
    (isComplete) =>
      withGate(function* (open) {
        const { ended, listener } = yield* open(reflection)
        yield* TestClock.adjust("59 seconds")
        listener.onReceiveMessage(new Uint8Array())
        yield* TestClock.adjust("59 seconds")
        if (isComplete) listener.onReceiveHalfClose()
        yield* TestClock.adjust("1 second")
        expect(ended).toEqual(isComplete ? [] : [DEADLINE_EXCEEDED])
      }),
  )

  it("of unknown callers are rejected while too many of their network, or of all, are not complete", () =>
    withGate(function* (open) {
      const networkMax = strangerRequestsMax / 4
      const first = yield* open(unary, "10.0.0.1")
      for (let i = 1; i < networkMax; i++) yield* open(i % 2 === 0 ? unary : reflection, "10.0.0.1")
      expect((yield* open(unary, "10.0.0.1")).ended).toEqual([RESOURCE_EXHAUSTED])
      first.listener.onReceiveHalfClose()
      yield* until(() => true)
      expect((yield* open(unary, "10.0.0.1")).ended).toEqual([])
      for (const address of ["10.0.0.2", "10.0.0.3", "10.0.0.4"]) {
        for (let i = 0; i < networkMax; i++) expect((yield* open(unary, address)).ended).toEqual([])
      }
      const late = yield* open(unary, "10.0.0.5")
      expect(late.ended).toEqual([RESOURCE_EXHAUSTED])
      // The requests that are late leave their places.
      yield* TestClock.adjust("1 minute")
      expect((yield* open(unary, "10.0.0.5")).ended).toEqual([])
    }))
})
