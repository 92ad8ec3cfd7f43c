import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { EnrolledEnvironments } from "../../../../gateways/frames/enrolled-environments.ts"
import { Authenticator } from "../../../../gateways/access/authenticator.ts"
import type { Client } from "../../../../gateways/pose/socket/socket-auth.ts"
import { type Feeds, serveClient } from "../../../../gateways/pose/socket/connection.ts"
import { makeOutbox } from "../../../../gateways/pose/socket/outbox.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { clusterLayer } from "../../../harness/cluster.ts"

const unasked = Effect.die("not asked")

const services = Layer.mergeAll(
  Layer.succeed(Authenticator, { bearer: () => unasked, apiKey: () => unasked, ended: () => Effect.never }),
  Layer.succeed(EnrolledEnvironments, { ids: unasked, follow: () => () => {} }),
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
      outbox: makeOutbox({ send: () => {}, sendShared: () => {}, waitingBytes: () => 0, closeTooSlow: () => {} }),
      inbox: yield* Queue.dropping<string>(4),
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
