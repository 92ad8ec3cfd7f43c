/**
 * How long after a hop's last packet its pose frame is with a client: a real service with its embedded database, six routers that each
 * keep a gRPC stream of their own, and a WebSocket, on one machine and by one clock.
 *
 *     npm run bench:latency -- [frames] [slotMs]
 *
 * The room (`busy-room.ts`, four persons) is simulated before anything is measured. What warms up, the calibration of the empty room
 * first, is played as fast as the service takes it; then the packets are played at the pace of a clock: every `slotMs` each router sends
 * what it heard since. A hop is over when each router has heard a packet of the next one, so that one slot is in every latency. Latency
 * counts from when the last packets of the hop were handed to their streams; "fromDue" from when they should have been, so that a sender
 * that is held up hides nothing. The sender and the client share a process beside the service's. Not measured: the air, and what a
 * router does to its packets. Writes `results/latency.json`.
 */
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { slice } from "../../deploy/source/play.ts"
import { scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { SimulatedHop } from "../../sim/simulation/simulation.ts"
import { connectSocket, type SocketClient } from "../gateways/pose/socket-client.ts"
import { eventually, signIn, startService } from "../harness/service.ts"
import { busyRoom, simulateHops } from "./busy-room.ts"
import { cpuSecondsOf, machine, rounded, writeResults } from "./harness.ts"

const frames = Number(process.argv[2] ?? 300)
const slotMs = Number(process.argv[3] ?? 10)
const persons = 4
/** The calibration takes 10 s of the empty room; then persons come in and are found. */
const calibrationSeconds = 10
const emptySeconds = 11
const warmUpSeconds = 20
/** The first hops at the pace of a clock are not counted: the service and the sender come from a rush. */
const settlingHops = 20
/** Frames that come later than this after the last packet are missing. */
const lateMsMax = 5_000
const targetMs = 60
const startUs = Math.ceil(Date.now() / 100) * 100_000

/** What a router sends at one time. */
interface Sending {
  readonly routerId: string
  readonly bytes: Uint8Array
  /** End of its slot, in event time. */
  readonly dueUs: number
  readonly lastHop: number
}

/** Cuts what was simulated into slots, in the order of time. */
const sendingsOf = (hops: ReadonlyArray<SimulatedHop>): ReadonlyArray<Sending> => {
  const slotUs = slotMs * 1000
  const sendings: Array<Sending> = []
  for (const batch of hops.flatMap(({ batches }) => batches)) {
    const slotOf = (frame: number) => Math.floor(batch.timestampsUs[frame]! / slotUs)
    for (let begin = 0, end = 1; end <= batch.frameCount; end++) {
      if (end < batch.frameCount && slotOf(end) <= slotOf(begin)) continue
      const lastHop = hopOf(batch.timestampsUs[end - 1]!)
      const bytes = encodeCsiBatch(slice(batch, begin, end))
      sendings.push({ routerId: batch.routerId, bytes, dueUs: (slotOf(begin) + 1) * slotUs, lastHop })
      begin = end
    }
  }
  return sendings.sort((a, b) => a.dueUs - b.dueUs)
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits for what may never come, as for the frame of a hop that was left out. */
const until = async (holds: () => boolean): Promise<void> => {
  const deadlineMs = performance.now() + lateMsMax
  while (!holds() && performance.now() < deadlineMs) await sleep(10)
}

type Send = (routerId: string, bytes: Uint8Array) => Effect.Effect<unknown, { readonly message: string }>

/** Plays at the pace of a clock; answers when each hop's last packets should have been sent, and when they were. */
const playSlots = Effect.fnUntraced(function* (sendings: ReadonlyArray<Sending>, send: Send) {
  const hops = new Map<number, { dueMs: number; sentMs: number }>()
  const beganMs = performance.now() + 100 - sendings[0]!.dueUs / 1000
  for (const { bytes, dueUs, lastHop, routerId } of sendings) {
    const dueMs = beganMs + dueUs / 1000
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) yield* Effect.promise(() => sleep(waitMs))
    hops.set(lastHop, { dueMs, sentMs: performance.now() })
    yield* Effect.forkScoped(send(routerId, bytes))
  }
  return hops
})

/** When the frame of each hop came, and how many persons were in it. */
const arrivalsOf = (client: SocketClient) => {
  const arrivals = new Map<number, { readonly atMs: number; readonly persons: number }>()
  client.socket.on("message", (data) => {
    const atMs = performance.now()
    const message = JSON.parse(data.toString())
    if (message.type !== "pose_update") return
    arrivals.set(hopOf(Date.parse(message.timestamp) * 1000) - 1, { atMs, persons: message.data.persons.length })
  })
  return arrivals
}

const percentiles = (values: ReadonlyArray<number>) => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => rounded(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!)
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

const scenario = await busyRoom(persons, emptySeconds)
const { environmentId, nodes } = scenario.rooms[0]!
const measuredSeconds = Math.ceil(((frames + settlingHops + 1) * hopUs) / 1e6)
const hops = simulateHops(scenario, startUs, warmUpSeconds + measuredSeconds)
const warmUp = hops.slice(0, warmUpSeconds * 10)
const sendings = sendingsOf(hops.slice(warmUpSeconds * 10))

const folder = mkdtempSync(join(tmpdir(), "wavepose-bench-"))
const site = join(folder, "site.json")
const enrolled = scenarioEnrolments(scenario).map(({ environment, routerIds }) => ({
  ...environment,
  routers: routerIds,
}))
writeFileSync(site, JSON.stringify(enrolled))
const service = await startService({ args: ["--source", "none", "--site", site] })

/** CPU seconds so far: where a hop costs nearly its own length, or the machine gives less, the latency is a queue's. */
const cpuOfBoth = () => ({ service: cpuSecondsOf(service.process.pid!), own: cpuSecondsOf(process.pid) })

const measure = Effect.gen(function* () {
  const api = yield* Effect.promise(() => signIn(service))
  yield* Effect.promise(() => eventually(() => api.get("/system/status"), ({ body }) => body.status === "running"))
  const key = yield* Effect.promise(() => api.post("/auth/api-keys", { name: "bench", role: "operator" }))
  const access = { address: service.grpc, apiKey: Redacted.make<string>(key.body.key), rootCertPem: null }
  const connections = yield* Effect.forEach(
    nodes,
    ({ nodeId }) => Effect.map(connectIngest(access), (send) => [nodeId, send] as const),
  )
  const streams = new Map(connections)
  const send: Send = (routerId, bytes) => streams.get(routerId)!(bytes)
  const client = yield* Effect.promise(() => connectSocket(service.pose, { query: `?token=${api.token}` }))
  const filters = { environment_id: environmentId }
  client.send({ type: "subscribe", channel: "pose_updates", filters })
  const order = { environment_id: environmentId, duration_seconds: calibrationSeconds }
  yield* Effect.promise(() => api.post("/system/calibration", order))
  console.error(`warming up with ${warmUpSeconds} s, then ${measuredSeconds} s by the clock`)
  for (const { batches } of warmUp) {
    yield* Effect.forEach(batches, (batch) => send(batch.routerId, encodeCsiBatch(batch)), { concurrency: "unbounded" })
  }
  const arrivals = arrivalsOf(client)
  const before = cpuOfBoth()
  const sent = yield* playSlots(sendings, send)
  const lastHop = [...sent.keys()].at(-2)!
  yield* Effect.promise(() => until(() => arrivals.has(lastHop)))
  const after = cpuOfBoth()
  const { body } = yield* Effect.promise(() => api.get(`/pose/latest?environment_id=${environmentId}`))
  client.socket.terminate()
  const cpuMsPerHop = {
    service: rounded((1000 * (after.service - before.service)) / sent.size),
    senderAndClient: rounded((1000 * (after.own - before.own)) / sent.size),
  }
  return { sent, arrivals, cpuMsPerHop, provenance: body.metadata.provenance as { readonly calibrated: boolean } }
})

const { arrivals, cpuMsPerHop, provenance, sent } = await Effect.runPromise(Effect.scoped(measure)).finally(
  async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  },
)

// The last hop has no successor that ends it.
const counted = [...sent].slice(settlingHops, -1).map(([hop, times]) => ({
  ...times,
  arrival: arrivals.get(hop) ?? null,
}))
const came = counted.flatMap(({ arrival, dueMs, sentMs }) => arrival === null ? [] : [{ ...arrival, dueMs, sentMs }])
if (came.length === 0) throw new Error("no frame came")
if (!provenance.calibrated) throw new Error("the routers were not calibrated: what was measured is not the whole work")
const personsInFrame = came.reduce((sum, { persons }) => sum + persons, 0) / came.length
if (personsInFrame === 0) throw new Error("No person was found: the measurement does not cover the whole work.")
const result = {
  what: "milliseconds from the last packet of a hop to its frame at a WebSocket client",
  machine,
  slotMs,
  cpuMsPerHop,
  personsInFrame: rounded(personsInFrame),
  frames: came.length,
  framesMissing: counted.length - came.length,
  latencyMs: { target: { p95: targetMs }, ...percentiles(came.map(({ atMs, sentMs }) => atMs - sentMs)) },
  fromDueMs: percentiles(came.map(({ atMs, dueMs }) => atMs - dueMs)),
}
writeResults("latency", result)
console.log(JSON.stringify(result, null, 2))
