import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { EnrolledEnvironments } from "../../../../gateways/frames/enrolled-environments.ts"
import { Authenticator } from "../../../../gateways/access/authenticator.ts"
import { SocketTickets } from "../../../../gateways/access/socket-tickets.ts"
import type { Client } from "../../../../gateways/pose/socket/socket-auth.ts"
import { serveClient } from "../../../../gateways/pose/socket/connection.ts"
import type { Feeds } from "../../../../gateways/pose/socket/subscriptions.ts"
import { makeOutbox } from "../../../../gateways/pose/socket/outbox.ts"
import type { Caller } from "../../../../protocols/domain/identity.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { until } from "../../cluster.ts"
import { clusterLayer } from "../../../harness/cluster.ts"

const unasked = Effect.die("not asked")

const services = Layer.mergeAll(
  Layer.succeed(Authenticator, { bearer: () => unasked, apiKey: () => unasked, ended: () => Effect.never }),
  Layer.succeed(EnrolledEnvironments, { ids: unasked, follow: () => () => {} }),
  Layer.succeed(SocketTickets, { issue: () => unasked, redeem: () => unasked }),
  Layer.succeed(Directory, {
    environments: unasked,
    routers: unasked,
    environment: () => unasked,
    environmentOf: () => unasked,
    enrol: () => unasked,
  }),
)

const feeds: Feeds = {
  poses: { subscribe: () => () => {} },
  resumed: { resume: () => unasked, send: () => () => {} },
  alerts: { subscribe: () => () => {}, environmentOf: () => null },
  status: { subscribe: () => () => {} },
  uuid: () => "id",
}

it("closes a client with 4401 after ten seconds without credentials, and not before", () =>
  Effect.gen(function* () {
    const closed: Array<number> = []
    const client: Client = {
      id: "client",
      form: "bare",
      header: () => undefined,
      token: null,
      ticket: null,
      outbox: makeOutbox({ send: () => {}, sendShared: () => {}, waitingBytes: () => 0, closeTooSlow: () => {} }),
      next: Effect.never,
      close: (code) => closed.push(code),
      enter: () => null,
      subscriptions: new Map(),
    }
    const fiber = yield* Effect.forkChild(serveClient(client, feeds))
    yield* TestClock.adjust("9999 millis")
    expect(closed).toEqual([])
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(fiber)
    expect(closed).toEqual([4401])
  }).pipe(Effect.provide([services, clusterLayer, TestClock.layer()]), Effect.runPromise))

const caller = (token: string): Caller => ({
  kind: "user",
  id: token.split(" ")[0]!,
  name: "vera",
  role: "viewer",
  sessionId: token,
  isConsole: false,
  expiresAtMs: null,
})

it("ends a connection with the token that renewed it last, and rejects a token of another account", () =>
  Effect.gen(function* () {
    const closed: Array<number> = []
    const sent: Array<string> = []
    const inbox = yield* Queue.dropping<string>(4)
    const [first, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const client: Client = {
      id: "client",
      form: "bare",
      header: () => undefined,
      token: "vera 1",
      ticket: null,
      outbox: makeOutbox({
        send: (text) => sent.push(JSON.parse(text).type),
        sendShared: () => {},
        waitingBytes: () => 0,
        closeTooSlow: () => {},
      }),
      next: Queue.take(inbox),
      close: (code) => closed.push(code),
      enter: () => null,
      subscriptions: new Map(),
    }
    const authenticator = Layer.succeed(Authenticator, {
      bearer: (token) => Effect.succeed(caller(token)),
      apiKey: () => unasked,
      ended: ({ sessionId }) => Deferred.await(sessionId === "vera 1" ? first : second),
    })
    const fiber = yield* Effect.forkChild(Effect.provide(serveClient(client, feeds), authenticator))
    const ask = (message: unknown) => Queue.offer(inbox, JSON.stringify(message))
    yield* ask({ type: "auth", token: "other 1" })
    yield* ask({ type: "auth", token: "vera 2" })
    yield* until(() => sent.length === 3)
    yield* ask({ type: "ping" })
    yield* until(() => sent.length === 4)
    yield* Deferred.succeed(first, undefined)
    yield* ask({ type: "ping" })
    yield* until(() => sent.length === 5)
    expect(sent).toEqual(["connection_established", "error", "authenticated", "pong", "pong"])
    expect(closed).toEqual([])
    yield* Deferred.succeed(second, undefined)
    yield* Fiber.join(fiber)
    expect(closed).toEqual([4401])
  }).pipe(Effect.provide([services, clusterLayer]), Effect.runPromise))
