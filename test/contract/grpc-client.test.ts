/** The gRPC clients, TypeScript and Python, against a simulated room: calls, errors, and streams that lose their connection 20 times. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createGrpcClient, grpcPoseStream } from "../../protocols/clients/typescript/grpc.ts"
import { createClient, passwordToken } from "../../protocols/clients/typescript/mod.ts"
import { adminPassword, startService, type TestService } from "../harness/service.ts"
import { startRelay } from "./relay.ts"
import { python, root } from "./tools.ts"

const [drops, framesPerDrop] = [20, 2]

const installed = await python("client")
const skipped = "reason" in installed ? ` (skipped: ${installed.reason})` : ""

/** Runs the script of the Python client. `onFrames` is called after each `framesPerDrop` frames, and the script waits for it. */
const runPython = (input: object, onFrames: () => void) =>
  new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
    if ("reason" in installed) return reject(new Error(installed.reason))
    const child = spawn(join(installed.bin, "python"), [join(root, "test", "contract", "grpc_stream.py")], {
      env: { ...process.env, PYTHONPATH: join(root, "protocols", "clients", "python") },
    })
    const lines: Array<unknown> = []
    let stderr = ""
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(JSON.parse(line))
      if (lines.length % framesPerDrop !== 0 || lines.length > drops * framesPerDrop) return
      onFrames()
      child.stdin.write("\n")
    })
    child.stderr.on("data", (bytes) => stderr += String(bytes))
    child.once("error", reject)
    child.once("close", (code) => code === 0 ? resolve(lines) : reject(new Error(stderr)))
    child.stdin.write(`${JSON.stringify(input)}\n`)
  })

describe("gRPC clients", () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "small-room"] })
  }, 120_000)
  afterAll(() => service?.stop())

  // The streams run at the same time, each through a relay of its own.
  const together = { concurrent: true, timeout: 120_000 }

  it("streams every frame once and in order to TypeScript, although 20 connections fail", together, async () => {
    const relay = await startRelay(service.grpc)
    const options = { address: relay.address, token: passwordToken(service.pose, "admin", adminPassword) }
    const ids: Array<number> = []
    let dropped = 0
    for await (const { frame_id, metadata, persons } of grpcPoseStream(options, {}, { retryMs: 10 })) {
      expect([metadata!.environment_id, Array.isArray(persons)]).toEqual(["small-room", true])
      ids.push(frame_id)
      // A connection that was dropped may still deliver what it had received.
      if (dropped < drops && ids.length % framesPerDrop === 0 && relay.drop()) dropped++
      else if (dropped === drops && relay.accepted() > drops) break
    }
    expect(dropped).toBe(drops)
    expect(relay.accepted()).toBeGreaterThan(drops)
    expect(ids).toEqual(ids.map((_, i) => ids[0]! + i))
    relay.stop()
  })

  it.skipIf(skipped !== "").each([false, true])(
    `streams every frame once and in order to Python, asynchronous %s, although 20 connections fail${skipped}`,
    together,
    async (asynchronous) => {
      const relay = await startRelay(service.grpc)
      let dropped = 0
      const input = { address: relay.address, url: service.pose, password: adminPassword, drops, asynchronous }
      const lines = await runPython({ ...input, frames_per_drop: framesPerDrop }, () => {
        dropped++
        relay.drop()
      })
      relay.stop()
      const ids = (lines.slice(0, -2) as ReadonlyArray<readonly [string, number]>).map(([, id]) => id)
      expect(dropped).toBe(drops)
      expect(ids).toEqual(Array.from({ length: (drops + 1) * framesPerDrop }, (_, i) => ids[0]! + i))
      expect(lines.at(-2)).toMatchObject({ status: 409, code: "CONFLICT" })
      expect(lines.at(-1)).toMatchObject({
        status: 422,
        code: "VALIDATION_ERROR",
        details: { errors: [{ field: "min_confidence" }] },
      })
    },
  )

  it("empties lists and removes values that a change names", async () => {
    const client = createGrpcClient({
      address: service.grpc,
      token: passwordToken(service.pose, "admin", adminPassword),
    })
    const environment_id = "attic"
    const corner = (x: number, y: number) => ({ x, y })
    const polygon = [corner(0, 0), corner(2, 0), corner(2, 2)]
    const of = client.EnvironmentService
    try {
      await of.CreateEnvironment({
        environment_id,
        name: "Attic",
        zones: [{ zone_id: "bed", name: "Bed", polygon }],
        routers: ["attic-router"],
        geometry: { size: { x: 4, y: 4, z: 2.5 }, nodes: [] },
      })
      const kept = await of.UpdateEnvironment({ environment_id, name: "Loft", zones: [] })
      expect(kept.environment).toMatchObject({ name: "Loft", routers: ["attic-router"] })
      await of.UpdateEnvironment({ environment_id, clear: ["zones", "routers", "geometry"] })
      const { environment } = await of.GetEnvironment({ environment_id })
      expect(environment).toMatchObject({ name: "Loft", zones: [], routers: [], geometry: null })
      await expect(of.UpdateEnvironment({ environment_id, clear: ["name"] })).rejects.toMatchObject({
        status: 422,
        details: { errors: [{ field: "clear" }] },
      })
    } finally {
      await of.DeleteEnvironment({ environment_id })
      client.close()
    }
  })

  it("has the errors and the answers of REST in TypeScript", async () => {
    const client = createGrpcClient({
      address: service.grpc,
      token: passwordToken(service.pose, "admin", adminPassword),
    })
    const anonymous = createGrpcClient({ address: service.grpc })
    try {
      const { environments } = await client.EnvironmentService.ListEnvironments()
      expect(environments.map(({ environment_id }) => environment_id)).toEqual(["small-room"])
      await expect(client.PoseService.GetLatestPose({ environment_id: "nowhere" })).rejects.toMatchObject({
        name: "WaveposeError",
        status: 404,
        message: expect.stringContaining("nowhere"),
        requestId: expect.stringMatching(/./),
      })
      await expect(client.PoseService.GetLatestPose({ min_confidence: 7 })).rejects.toMatchObject({
        status: 422,
        code: "VALIDATION_ERROR",
        details: { errors: [{ field: "min_confidence" }] },
      })
      const conflict = { name: "WaveposeError", status: 409, code: "CONFLICT" }
      const rest = createClient({
        url: service.pose,
        form: "bare",
        token: passwordToken(service.pose, "admin", adminPassword),
      })
      await expect(rest.post("/api/v1/system/start", {})).rejects.toMatchObject(conflict)
      await expect(client.SystemService.StartSystem()).rejects.toMatchObject(conflict)
      await expect(anonymous.PoseService.GetLatestPose()).rejects.toMatchObject({
        status: 401,
        code: "AUTHENTICATION_ERROR",
      })
      await expect(grpcPoseStream(anonymous.options).next()).rejects.toMatchObject({ status: 401 })
      const ended = new AbortController()
      const stream = grpcPoseStream(client.options, { environment_ids: ["small-room"] }, { signal: ended.signal })
      expect((await stream.next()).done).toBe(false)
      ended.abort()
      expect((await stream.next()).done).toBe(true)
    } finally {
      client.close()
      anonymous.close()
    }
  })
})
