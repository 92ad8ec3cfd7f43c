import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withServer } from "./moody-routers.ts"
import { HealthClient, ReflectionClient } from "./tools.ts"

describe("gRPC edge: server", () => {
  it("answers health checks and reflection without credentials", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const reflection = new ReflectionClient(port)
        const services = await reflection.services()
        expect(services).toEqual(
          expect.arrayContaining(["wavepose.v1.CsiIngestService", "wavepose.v1.PoseService", "grpc.health.v1.Health"]),
        )
        const health = new HealthClient(port)
        for (const service of services.filter((name) => name.startsWith("wavepose."))) {
          expect([service, await health.check(service)]).toEqual([service, "SERVING"])
        }
        health.close()
        reflection.close()
      })
    ))

  it("names the address that it cannot listen on", () =>
    withServer(({ port }) =>
      Effect.gen(function* () {
        const taken = yield* Effect.promise(() =>
          withServer(() => Effect.void, { port }).then(() => "", (error: unknown) => String(error))
        )
        expect(taken).toContain(`127.0.0.1:${port}`)
      })
    ))
})
