/**
 * Bad input at every input of a real service: a clear error or a counted drop, and the service continues.
 */
import { Effect, Redacted } from "effect"
import { createSocket } from "node:dgram"
import { writeFileSync } from "node:fs"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { runCommand } from "../harness/command.ts"
import { eventually, signIn, startService, type TestService } from "../harness/service.ts"

const batch = (routerId: string): CsiBatch => ({
  routerId,
  batchSequence: 1,
  source: "live",
  layout: {
    format: "test",
    receiveAntennas: 1,
    transmitAntennas: 1,
    subcarrierIndices: Int16Array.of(1, 2),
    subcarrierSpacingHz: 312_500,
    centerFrequencyHz: 0,
    bandwidthHz: 20e6,
  },
  frameCount: 1,
  timestampsUs: Float64Array.of(1e15),
  sequences: Uint32Array.of(1),
  rssiDbm: Int8Array.of(-40),
  noiseFloorDbm: Int8Array.of(-90),
  transmitterIndex: Uint16Array.of(0),
  transmitterIds: ["ap"],
  csi: Float32Array.of(1, 2, 3, 4),
})

describe("bad input", () => {
  let service: TestService
  let api: Awaited<ReturnType<typeof signIn>>
  const folder = mkdtempSync(join(tmpdir(), "wavepose-bad-"))

  beforeAll(async () => {
    service = await startService()
    api = await signIn(service)
  }, 60_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    expect((await api.get("/system/status")).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(service.output()).not.toMatch(/actor failed/)
  }, 20_000)

  it("a datagram of noise, and one of a node that is not enrolled", async () => {
    const socket = createSocket("udp4")
    const send = (bytes: Uint8Array) =>
      new Promise((resolve) => socket.send(bytes, service.datagrams.port, service.datagrams.host, resolve))
    const node = Buffer.alloc(20 + 128)
    node.writeUInt32LE(0xC5110001, 0)
    node.writeUInt8(9, 4)
    node.writeUInt8(1, 5)
    node.writeUInt16LE(64, 6)
    node.writeUInt32LE(2437, 8)
    for (let i = 0; i < 128; i++) node.writeInt8((i % 20) - 10, 20 + i)
    await send(Buffer.from("this is not a packet of a router"))
    await send(node)
    await eventually(() => Promise.resolve(service.output()), (output) => /not-a-record|unknown_router/.test(output))
    socket.close()
  })

  it("a batch for a router that is not enrolled, and bytes that are not a batch", async () => {
    const { body: { key } } = await api.post("/auth/api-keys", { name: "bad input", role: "operator" })
    const send = (bytes: Uint8Array) =>
      Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const ingest = yield* connectIngest({ address: service.grpc, apiKey: Redacted.make(key), rootCertPem: null })
        return yield* ingest(bytes)
      })))
    expect(await send(encodeCsiBatch(batch("stranger")))).toMatchObject({
      errorCode: "unknown_router",
      reason: expect.stringContaining("not enrolled"),
    })
    expect(await send(Uint8Array.of(255, 255, 255, 255))).toMatchObject({ errorCode: "invalid_batch" })
  })

  it("an unknown key over gRPC", async () => {
    const refused = await Effect.runPromise(Effect.flip(Effect.scoped(Effect.gen(function* () {
      const ingest = yield* connectIngest({
        address: service.grpc,
        apiKey: Redacted.make("wp_guessed"),
        rootCertPem: null,
      })
      return yield* ingest(encodeCsiBatch(batch("stranger")))
    }))))
    expect(refused).toMatchObject({ _tag: "IngestRefused" })
  })

  it("a JSON body of 2 MiB", async () => {
    const answer = await api.post("/system/start", { configuration: { domain: "x".repeat(2 * 1024 * 1024) } })
    expect(answer.status).toBe(413)
    expect(answer.body.error.code).toBe("PAYLOAD_TOO_LARGE")
  })

  it("broken JSON, an unknown path, a wrong method", async () => {
    const broken = await fetch(`${service.pose}/api/v1/system/start`, {
      method: "POST",
      headers: { authorization: `Bearer ${api.token}`, "content-type": "application/json" },
      body: "{",
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await api.get("/nowhere")).toMatchObject({ status: 404, body: { error: { code: "RESOURCE_NOT_FOUND" } } })
    expect(await api.delete("/health")).toMatchObject({ status: 405, body: { error: { code: "METHOD_NOT_ALLOWED" } } })
  })

  it("a token signed with another key", async () => {
    const forged = await new SignJWT({ name: "admin", role: "admin" })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: "1" })
      .setSubject("admin").setIssuer("wavepose").setAudience("wavepose").setIssuedAt().setExpirationTime("1h").setJti(
        "1",
      )
      .sign(new TextEncoder().encode("a key of somebody else, 32 bytes long or more"))
    const answer = await fetch(`${service.pose}/api/v1/pose/latest`, { headers: { authorization: `Bearer ${forged}` } })
    expect(answer.status).toBe(401)
    await answer.text()
  })

  it.each([
    ["a truncated .dat", "truncated.dat", Buffer.from([0, 215, 0xBB, 1, 2, 3, 4])],
    ["a file of noise", "noise.bin", Buffer.from("nothing of a capture in here")],
  ])("replaying %s, before anything starts", async (_, name, bytes) => {
    const file = join(folder, name)
    writeFileSync(file, bytes)
    const ended = await runCommand(["start", "--replay", file], { env: { WAVEPOSE_DATA_DIR: join(folder, "unused") } })
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("is not a capture of a known") })
  }, 60_000)

  it("replaying a csv line with 127 numbers", async () => {
    const file = join(folder, "short.csv")
    const line = "CSI_DATA,AP,20:50:0D:2A:A2:E4,-74,11,1,0,1,1,1,0,0,0,0,-96,0,1,1,3189164313,0,84,0,0,3189.34,384"
    writeFileSync(file, `${line},[${"1 ".repeat(127)}]\n`)
    const replayed = await startService({ args: ["--replay", file] })
    const client = await signIn(replayed)
    await eventually(() => Promise.resolve(replayed.output()), (output) => output.includes("127"))
    expect((await client.get("/system/status")).status).toBe(200)
    expect((await client.get("/pose/latest")).status).toBe(404)
    expect(await replayed.stop()).toBe(0)
  }, 60_000)
})
