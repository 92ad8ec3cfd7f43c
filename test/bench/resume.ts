/**
 * Whether clients that lose their connections at random have every frame once and in order: the TypeScript client over WebSocket, and a
 * gRPC client that continues after its newest frame, at a real service with a simulated room.
 *
 *     npm run bench:resume -- [minutes] [drops] [seed]
 *
 * The ids of an environment's frames have no gaps, so a frame that is missing or comes twice shows as a step that is not 1. Writes
 * `results/resume.json`. The tests run the same with few frames.
 */
import * as grpc from "@grpc/grpc-js"
import { loadavg } from "node:os"
import { setTimeout as after } from "node:timers/promises"
import { WebSocket as TerminableSocket } from "ws"
import { createRandom, uniformIn } from "../../sim/randomness/random.ts"
import { passwordToken, poseStream } from "../../protocols/clients/typescript/mod.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { adminPassword, signIn, startService, type TestService } from "../harness/service.ts"
import { machine, rounded, writeResults } from "./harness.ts"

const minutes = Number(process.argv[2] ?? 10)
const drops = Number(process.argv[3] ?? 20)
const seed = Number(process.argv[4] ?? 1)

/** A client that is running. */
interface Watching {
  readonly ids: Array<number>
  /** Cuts its connection. */
  readonly drop: () => void
  readonly stop: () => void
}

const watchBySocket = (service: TestService): Watching => {
  const sockets: Array<TerminableSocket> = []
  class Kept extends TerminableSocket {
    constructor(url: string) {
      super(url)
      // A connection that is cut before it is open.
      this.on("error", () => {})
      sockets.push(this)
    }
  }
  const token = passwordToken(service.pose, "admin", adminPassword)
  const ids: Array<number> = []
  let over = false
  const read = async () => {
    const socket = { WebSocket: Kept as unknown as typeof WebSocket }
    for await (const { data } of poseStream({ url: service.pose, form: "bare", token }, {}, socket)) {
      if (over) return
      ids.push(data.frame_id)
    }
  }
  void read()
  return { ids, drop: () => sockets.at(-1)!.terminate(), stop: () => void (over = true) }
}

const environmentId = "living-room"

const watchByGrpc = (service: TestService, token: string): Watching => {
  const metadata = new grpc.Metadata()
  metadata.set("authorization", `Bearer ${token}`)
  const { encode } = codecOf("WatchPosesRequest")
  const { decode } = codecOf("WatchPosesResponse")
  const path = "/wavepose.v1.PoseService/WatchPoses"
  const ids: Array<number> = []
  let connection = { cut: () => {} }
  const connect = () => {
    // Without a pool of its own, it would share a connection with other clients of the address.
    const client = new grpc.Client(service.grpc, grpc.credentials.createInsecure(), {
      "grpc.use_local_subchannel_pool": 1,
    })
    const newest = ids.at(-1)
    const request = encode({
      environment_ids: [environmentId],
      after_frame_ids: newest === undefined ? {} : { [environmentId]: newest },
    })
    const stream = client.makeServerStreamRequest(path, (bytes) => Buffer.from(bytes), decode, request, metadata)
    let isCut = false
    // deno-lint-ignore no-explicit-any
    stream.on("data", ({ pose_frame }: any) => isCut ? undefined : void ids.push(pose_frame.frame_id))
    stream.on("error", () => {})
    connection = {
      cut: () => {
        isCut = true
        client.close()
        stream.cancel()
      },
    }
  }
  connect()
  return {
    ids,
    drop: () => {
      connection.cut()
      connect()
    },
    stop: () => connection.cut(),
  }
}

const judged = ({ ids }: Watching) => ({
  frames: ids.length,
  missing: ids.slice(1).reduce((sum, id, i) => sum + Math.max(0, id - ids[i]! - 1), 0),
  repeatedOrLate: ids.slice(1).filter((id, i) => id <= ids[i]!).length,
})

const service = await startService({ args: ["--scenario", environmentId] })
const { token } = await signIn(service)
const bySocket = watchBySocket(service)
const byGrpc = watchByGrpc(service, token)
const random = createRandom(seed, "drops")
const endMs = minutes * 60_000
/** By then both have frames. */
const startedMs = 10_000
const times = [bySocket, byGrpc].flatMap((client) =>
  Array.from({ length: drops }, () => ({ client, atMs: uniformIn(random, startedMs, endMs) }))
).sort((a, b) => a.atMs - b.atMs)
const beganMs = performance.now()
for (const { atMs, client } of times) {
  await after(Math.max(0, atMs - (performance.now() - beganMs)))
  client.drop()
}
await after(Math.max(0, endMs - (performance.now() - beganMs)))
bySocket.stop()
byGrpc.stop()
await service.stop()
const results = {
  what: "frames at clients whose connections are cut at random times",
  machine,
  load: rounded(loadavg()[0]!),
  minutes,
  dropsOfEach: drops,
  seed,
  webSocket: judged(bySocket),
  grpc: judged(byGrpc),
}
console.log(JSON.stringify(results, null, 2))
writeResults("resume", results)
