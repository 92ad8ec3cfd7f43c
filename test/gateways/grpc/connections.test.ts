/** The gRPC edge at its bounds of open connections. */
import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { poseFrame, until } from "../cluster.ts"
import { getLatest, metadata, openIngest, withClient } from "./clients.ts"
import { withServer } from "./moody-routers.ts"
import { fixedTls, selfSigned } from "./tools.ts"

/** Connects, and says nothing. */
const join = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: Socket; readonly isClosed: () => boolean }>((resume) => {
      let closed = false
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed({ socket, isClosed: () => closed })))
      socket.resume()
      socket.on("error", () => {})
      socket.on("close", () => closed = true)
    }),
    ({ socket }) => Effect.sync(() => socket.destroy()),
  )

describe("gRPC edge: connections", () => {
  it.each([["plain", false], ["TLS", true]] as const)(
    "cuts off one more than it keeps, %s",
    async (_, encrypted) => {
      const certificate = encrypted ? await selfSigned() : null
      const tls = certificate === null ? null : fixedTls(certificate)
      await withServer(({ port }) =>
        Effect.scoped(Effect.gen(function* () {
          const first = yield* join(port)
          yield* join(port)
          const extra = yield* join(port)
          yield* until(() => extra.isClosed())
          expect(first.isClosed()).toBe(false)
        })), { bounds: { openMax: 2, unauthenticatedMax: 100 }, tls })
    },
  )

  it("serves a client again after another has disconnected", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.scoped(Effect.gen(function* () {
          environments.publish(poseFrame("room", 7))
          const first = yield* join(port)
          expect((yield* getLatest(client, "room")).code).toBe(grpc.status.UNAVAILABLE)
          first.socket.destroy()
          yield* Effect.promise(() =>
            new Promise<void>((resolve, reject) =>
              client.waitForReady(Infinity, (error) => error === undefined ? resolve() : reject(error))
            )
          )
          expect((yield* getLatest(client, "room")).code).toBe(grpc.status.OK)
        }))), { bounds: { openMax: 1, unauthenticatedMax: 100 } }))

  it.each([["plain", false], ["TLS", true]] as const)(
    "keeps few clients that have shown no credentials, and does not count those that have, %s",
    async (_, encrypted) => {
      const certificate = encrypted ? await selfSigned() : null
      const tls = certificate === null ? null : fixedTls(certificate)
      await withServer(({ port }) =>
        withClient(port, (client) =>
          Effect.scoped(Effect.gen(function* () {
            expect(yield* getLatest(client, "room", metadata({ "x-api-key": "wrong" }))).toMatchObject({
              code: grpc.status.UNAUTHENTICATED,
            })
            const refused = yield* join(port)
            yield* until(() => refused.isClosed())
            // Who may not do this is known all the same.
            const { result } = openIngest(client, metadata({ "x-api-key": "viewer" }))
            yield* until(() => result.status !== null)
            expect(result.status!.code).toBe(grpc.status.PERMISSION_DENIED)
            const unknown = yield* join(port)
            const another = yield* join(port)
            yield* until(() => another.isClosed())
            expect(unknown.isClosed()).toBe(false)
          })), certificate?.certPem), { bounds: { openMax: 100, unauthenticatedMax: 4 }, tls })
    },
  )
})
