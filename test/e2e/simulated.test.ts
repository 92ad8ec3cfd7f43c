/**
 * `wavepose start` as its user runs it: a simulated home, over REST, WebSocket and gRPC.
 */
import * as grpc from "@grpc/grpc-js"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebSocket } from "ws"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { readRecordingHeader } from "../../sim/recording/recording-decoder.ts"
import { ownVersion } from "../harness/own-weights.ts"
import { runCommand } from "../harness/command.ts"
import { adminPassword, eventually, interrupt, signIn, startService, type TestService } from "../harness/service.ts"

// deno-lint-ignore no-explicit-any
type Json = any

describe("a simulated home", () => {
  let service: TestService
  let api: Awaited<ReturnType<typeof signIn>>

  beforeAll(async () => {
    service = await startService({ args: ["--scenario", "home"] })
    api = await signIn(service)
  }, 60_000)
  afterAll(() => service?.kill())

  const latest = "/pose/latest?environment_id=living-room"

  /** Frames of a room at a WebSocket client until one satisfies. */
  const watchUntil = async (room: string, holds: (update: Json) => boolean): Promise<ReadonlyArray<Json>> => {
    const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose`, {
      headers: { authorization: `Bearer ${api.token}` },
    })
    const updates: Array<Json> = []
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject)
      socket.on("message", (bytes) => {
        const message = JSON.parse(String(bytes))
        if (message.type === "connection_established") {
          socket.send(JSON.stringify({ type: "subscribe", channel: "pose_updates", filters: { environment_id: room } }))
        }
        if (message.type !== "pose_update") return
        updates.push(message)
        if (holds(message)) resolve()
      })
    })
    socket.terminate()
    return updates
  }

  it("is reported as simulated, in the output and in every frame of both rooms", async () => {
    // It is printed after the ready lines.
    const output = await eventually(
      () => Promise.resolve(service.output()),
      (text) => text.includes("Stop with Ctrl-C"),
    )
    expect(output).toContain("SIMULATED: home, 2 rooms and 3 persons, empty for 10 s at first")
    expect(output).toContain("Its environments: living-room, bedroom.")
    for (const room of ["living-room", "bedroom"]) {
      const [update] = await watchUntil(room, () => true)
      expect(update.data.metadata).toMatchObject({ environment_id: room, provenance: { source: "simulated" } })
    }
  }, 30_000)

  it("prints a command that works", async () => {
    const url = /curl -s "([^"]*\/pose\/latest[^"]*)"/.exec(service.output())?.[1]
    expect(url).toContain("environment_id=living-room")
    const answer = await fetch(url!, { headers: { authorization: `Bearer ${api.token}` } })
    expect(answer.status).toBe(200)
  })

  it("is empty at first, then locates the entering person near a possible place", async () => {
    const updates = await watchUntil("living-room", ({ data }) => data.persons.length > 0)
    const [person] = updates.at(-1).data.persons
    expect(person.location.x).toBeGreaterThanOrEqual(0)
    expect(person.location.x).toBeLessThanOrEqual(6)
    expect(person.location.y).toBeGreaterThanOrEqual(0)
    expect(person.location.y).toBeLessThanOrEqual(5)
    expect(person.keypoints).toHaveLength(17)
    expect(updates.at(-1).data.metadata.provenance).toMatchObject({
      calibrated: true,
      model_version: ownVersion("wavepose"),
    })
    const ids = updates.map(({ data }) => data.frame_id)
    expect(ids).toEqual(ids.map((_, i) => ids[0] + i))
  }, 60_000)

  it("returns the newest frame over REST in both forms", async () => {
    const bare = await api.get(latest)
    const envelope = await api.get(`${latest}&form=envelope&include_keypoints=false`)
    expect(bare.status).toBe(200)
    expect(bare.body.metadata.environment_id).toBe("living-room")
    expect(envelope.body).toMatchObject({ success: true, data: { environment_id: "living-room" } })
    expect(envelope.headers.get("x-response-form")).toBe("envelope")
  })

  it("returns and streams the same frames over gRPC", async () => {
    const client = new grpc.Client(service.grpc, grpc.credentials.createInsecure())
    const metadata = new grpc.Metadata()
    metadata.set("authorization", `Bearer ${api.token}`)
    const asIs = (bytes: Uint8Array) => Buffer.from(bytes)
    const latest = await new Promise<Json>((resolve, reject) =>
      client.makeUnaryRequest(
        "/wavepose.v1.PoseService/GetLatestPose",
        asIs,
        codecOf("GetLatestPoseResponse").decode,
        codecOf("GetLatestPoseRequest").encode({ environment_id: "living-room" }),
        metadata,
        (error, answer) => error ? reject(error) : resolve(answer),
      )
    )
    const stream = client.makeServerStreamRequest(
      "/wavepose.v1.PoseService/WatchPoses",
      asIs,
      codecOf("WatchPosesResponse").decode,
      codecOf("WatchPosesRequest").encode({ environment_ids: ["living-room"] }),
      metadata,
    )
    stream.on("error", () => {})
    const next = await new Promise<Json>((resolve) => stream.once("data", resolve))
    expect(next.pose_frame.frame_id).toBeGreaterThanOrEqual(latest.pose_frame.frame_id)
    expect(next.pose_frame.metadata.provenance.source).toBe("simulated")
    stream.cancel()
    client.close()
  })

  // The two streams run at the same time.
  const together = { concurrent: true, timeout: 60_000 }

  it("sends every frame once and in order to a client that loses its connection several times", together, async () => {
    const connect = (filters: Json, count: number) =>
      new Promise<ReadonlyArray<number>>((resolve, reject) => {
        const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose`, {
          headers: { authorization: `Bearer ${api.token}` },
        })
        const ids: Array<number> = []
        socket.once("error", reject)
        socket.on("message", (bytes) => {
          const message = JSON.parse(String(bytes))
          if (message.type === "connection_established") {
            socket.send(JSON.stringify({ type: "subscribe", id: 1, channel: "pose_updates", filters }))
          }
          if (message.type === "error") return reject(new Error(message.error.message))
          if (message.type !== "pose_update" || ids.length === count) return
          ids.push(message.data.frame_id)
          if (ids.length < count) return
          socket.terminate()
          resolve(ids)
        })
      })
    const received = [...await connect({ environment_id: "living-room" }, 3)]
    for (const count of [1, 12, 5, 20, 2, 9]) {
      const newest = () => api.get(latest).then(({ body }) => body.frame_id)
      await eventually(newest, (frameId) => frameId > received.at(-1)! + 4)
      received.push(...await connect({ environment_id: "living-room", after_frame_id: received.at(-1)! }, count))
    }
    expect(received).toEqual(received.map((_, i) => received[0]! + i))
  })

  it("sends every frame once and in order to a gRPC client that drops its connection 20 times", together, async () => {
    const metadata = new grpc.Metadata()
    metadata.set("authorization", `Bearer ${api.token}`)
    const { encode } = codecOf("WatchPosesRequest")
    const connect = (after: number | null, count: number) =>
      new Promise<ReadonlyArray<number>>((resolve, reject) => {
        const client = new grpc.Client(service.grpc, grpc.credentials.createInsecure(), {
          // Without it, clients of one address share a connection.
          "grpc.use_local_subchannel_pool": 1,
        })
        const request = encode({
          environment_ids: ["living-room"],
          after_frame_ids: after === null ? {} : { "living-room": after },
        })
        const { decode } = codecOf("WatchPosesResponse")
        const path = "/wavepose.v1.PoseService/WatchPoses"
        const stream = client.makeServerStreamRequest(path, (bytes) => Buffer.from(bytes), decode, request, metadata)
        const ids: Array<number> = []
        stream.on("data", ({ pose_frame }: Json) => {
          if (ids.length === count) return
          ids.push(pose_frame.frame_id)
          if (ids.length < count) return
          client.close()
          stream.cancel()
          resolve(ids)
        })
        stream.on("error", (error: grpc.ServiceError) => error.code === grpc.status.CANCELLED || reject(error))
      })
    const received = [...await connect(null, 2)]
    for (let drop = 1; drop <= 20; drop++) received.push(...await connect(received.at(-1)!, 1 + drop * 7 % 5))
    expect(received).toEqual(received.map((_, i) => received[0]! + i))
  })

  it("stops, reports it to clients, and starts again", async () => {
    const stopped = await api.post("/system/stop", { force: false, save_state: true })
    expect(stopped.status).toBe(202)
    const status = (wanted: string) =>
      eventually(async () => (await api.get("/system/status")).body.status, (value) => value === wanted)
    await status("stopped")
    const none = await eventually(() => api.get(latest), ({ status }) => status !== 200)
    expect(none.status).toBe(503)
    expect(none.body.error).toMatchObject({ code: "SERVICE_UNAVAILABLE" })
    expect((await api.post("/system/stop")).status).toBe(409)
    const started = await api.post("/system/start", {
      configuration: { domain: "healthcare", environment_id: "living-room", calibration_required: false },
    })
    expect(started.status).toBe(202)
    await status("running")
    expect((await api.post("/system/start", {})).status).toBe(409)
    const frame = await eventually(() => api.get(latest), ({ status }) => status === 200)
    expect(frame.body.metadata.provenance.source).toBe("simulated")
    const restarted = await api.post("/system/restart")
    expect(restarted.body.previous_session_id).not.toBe(restarted.body.new_session_id)
    await status("running")
  }, 60_000)

  it("is exported as tables that name the source of each row", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-exported-"))
    const env = { WAVEPOSE_API_KEY: "", WAVEPOSE_ADMIN_PASSWORD: adminPassword }
    const exported = async (table: string) => {
      const file = join(folder, `${table}.csv`)
      const args = ["export", table, file, "--environment", "living-room", "--url", service.pose, "--json"]
      const { code, stderr, stdout } = await runCommand(args, { env })
      expect([code, stderr]).toEqual([0, ""])
      const [head, ...rows] = readFileSync(file, "utf8").trim().split("\r\n").map((line) => line.split(","))
      expect(JSON.parse(stdout)).toMatchObject({ file, table, rows: rows.length })
      return { head: head!, rows }
    }
    const frames = await exported("frames")
    expect(frames.rows.length).toBeGreaterThan(10)
    expect(new Set(frames.rows.map((row) => row[frames.head.indexOf("source")]))).toEqual(new Set(["simulated"]))
    const persons = await exported("persons")
    expect(persons.head).toContain("left_ankle_sigma_m")
    expect(persons.rows.every(({ length }) => length === persons.head.length)).toBe(true)
    const tracks = await exported("tracks")
    const ids = new Set(persons.rows.map((row) => row[persons.head.indexOf("track_id")]))
    expect(tracks.rows.length).toBeGreaterThanOrEqual(ids.size)
    const refused = await runCommand(["export", "frames", join(folder, "frames.txt"), "--url", service.pose], { env })
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining("must end with .csv, .parquet, .npz")])
    const kept = readFileSync(join(folder, "frames.csv"), "utf8")
    const misspelt = [
      "export",
      "frames",
      join(folder, "frames.csv"),
      "--environment",
      "living-rom",
      "--url",
      service.pose,
    ]
    const unknown = await runCommand(misspelt, { env })
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("living-rom")])
    expect(readFileSync(join(folder, "frames.csv"), "utf8")).toBe(kept)
    rmSync(folder, { recursive: true })
  }, 60_000)

  it("is recorded by the command when the settings allow it, with a label and the geometry of the room", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-recorded-"))
    const file = join(folder, "room.wavepose")
    const record = ["record", file, "--service", "--url", `${service.pose}/`, "--grpc", `grpc://${service.grpc}`]
    const room = ["--environment", "living-room", "--label", "walking", "--seconds", "5", "--json"]
    const env = { WAVEPOSE_API_KEY: "", WAVEPOSE_ADMIN_PASSWORD: adminPassword }
    const refused = await runCommand([...record, ...room], { env })
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toContain('{"privacy.csi_recording_enabled": true}')
    expect((await api.put("/config", { "privacy.csi_recording_enabled": true })).status).toBe(200)
    const recorded = await runCommand([...record, ...room], { env })
    expect(recorded.code, recorded.stderr).toBe(0)
    const result = JSON.parse(recorded.stdout)
    expect(result).toMatchObject({ file, labels: [{ label: "walking" }] })
    expect(Object.keys(result.frames)).not.toEqual([])
    const header = readRecordingHeader(new Uint8Array(readFileSync(file)))
    const [site] = header!.sites
    expect(site).toMatchObject({ environmentId: "living-room", geometry: { size: [6, 5, 2.6] } })
    expect(Object.keys(result.frames).every((id) => site!.routers.includes(id))).toBe(true)
    rmSync(folder, { recursive: true })
  }, 60_000)

  it("stops when it is interrupted", async () => {
    const ended = new Promise((resolve) => service.process.once("exit", resolve))
    interrupt(service.process)
    expect(await ended).toBe(0)
  }, 20_000)
})
