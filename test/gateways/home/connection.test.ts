import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { serveConnection } from "../../../gateways/home/socket/connection.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"

const nobody = Layer.succeed(HomeTokens, {
  check: () => Effect.succeed(null),
  ended: () => Effect.never,
  all: Effect.succeed([]),
  register: () => Effect.die("not part of this double"),
  revoke: () => Effect.succeed(false),
})

it("[85] a client that sends nothing for ten seconds is disconnected without a message", () =>
  Effect.gen(function* () {
    const sent: Array<unknown> = []
    let closed = 0
    const socket = {
      next: Effect.never,
      outbox: {
        push: (message: unknown) => void sent.push(message),
        coalesce: () => {},
        drained: () => {},
        close: () => {},
      },
      authenticated: () => {},
      close: () => void closed++,
    }
    const fiber = yield* Effect.forkChild(serveConnection<never>(socket, new Map()))
    yield* TestClock.adjust("9 seconds")
    expect([closed, sent.length]).toEqual([0, 1])
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    expect([closed, sent.length]).toEqual([1, 1])
  }).pipe(Effect.provide([nobody, TestClock.layer()]), Effect.runPromise))
