import * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { poseFrame } from "../cluster.ts"
import { getLatest } from "./clients.ts"
import { withServer } from "./moody-routers.ts"
import { HealthClient, ReflectionClient, selfSigned } from "./tools.ts"

describe("gRPC edge: server", () => {
  it("answers health checks and reflection without credentials", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const health = new HealthClient(port)
        expect(await health.check("wavepose.v1.PoseService")).toBe("SERVING")
        health.close()
        const reflection = new ReflectionClient(port)
        expect(await reflection.services()).toEqual(
          expect.arrayContaining(["wavepose.v1.CsiIngestService", "wavepose.v1.PoseService", "grpc.health.v1.Health"]),
        )
        reflection.close()
      })
    ))

  it("uses TLS with a certificate", async () => {
    const { certPem, keyPem } = await selfSigned()
    await withServer(({ environments, port }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        const trusting = new grpc.Client(`localhost:${port}`, grpc.credentials.createSsl(Buffer.from(certPem)))
        expect((yield* getLatest(trusting, "room")).code).toBe(grpc.status.OK)
        trusting.close()
        const plain = new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure())
        expect((yield* getLatest(plain, "room")).code).toBe(grpc.status.UNAVAILABLE)
        plain.close()
      }), { host: "localhost", tls: { certPem, keyPem } })
  })

  it("does not start with an invalid certificate or a wrong key", async () => {
    const [own, other] = [await selfSigned(), await selfSigned()]
    for (
      const tls of [{ certPem: "none", keyPem: "none" }, { ...own, keyPem: "none" }, { ...own, keyPem: other.keyPem }]
    ) {
      const started = withServer(() => Effect.void, { tls })
      await expect(started).rejects.toThrow("Cannot listen for gRPC on 127.0.0.1:0")
    }
  })

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
