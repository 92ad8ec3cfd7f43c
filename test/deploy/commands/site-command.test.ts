/** `wavepose site remove` beside a service that takes long. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect, it, vi } from "vitest"
import { removeSite } from "../../../deploy/commands/site-command.ts"

afterAll(() => vi.unstubAllEnvs())

it("says that the deletion of a long history continues when the command is repeated, and ends its request", async () => {
  vi.stubEnv("WAVEPOSE_API_KEY", "wp_any")
  const [asked, left] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const server = createServer((request, response) => {
    response.on("close", () => left.resolve())
    asked.resolve(`${request.method} ${request.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { url, environmentId: "hall", dropHistory: true, json: true, yes: true }
  const message = await Effect.gen(function* () {
    const removal = yield* Effect.forkChild(Effect.flip(removeSite(options)))
    expect(yield* Effect.promise(() => asked.promise)).toBe("DELETE /api/v1/environments/hall?history=drop")
    yield* TestClock.adjust("10 minutes")
    return (yield* Fiber.join(removal)).message
  }).pipe(Effect.provide([TestClock.layer(), NodeServices.layer]), Effect.runPromise)
  expect(message).toBe("The deletion takes longer than 10 minutes. Repeat the command: it continues.")
  await left.promise
  server.close()
})
