/**
 * What the MQTT publisher costs: 50 nodes at 10 records a second, through the real gRPC edge, the process `wavepose mqtt`, and a real
 * Mosquitto, to a client in Home Assistant's place.
 *
 *     npm run bench:mqtt -- [rounds] [nodes] [seconds]
 *
 * The publisher is judged by its own CPU time, all threads together. Every record moves every measurement, and each node's number of
 * persons once in ten seconds, which is more than rooms do. Not measured: the service's side of the stream, and the broker.
 * Writes `results/mqtt.json`.
 */
import { Effect } from "effect"
import { connect } from "mqtt"
import { spawn } from "node:child_process"
import { RouterDouble } from "../gateways/cluster.ts"
import { withGrpcServer } from "../gateways/grpc/site.ts"
import { edgeRecord } from "../harness/edge-records.ts"
import { hasMosquitto, startMosquitto } from "../harness/mosquitto.ts"
import { runtimeArguments } from "../harness/service.ts"
import { cpuSecondsOf, machine, residentMibOf, rounded, roundedSpread, spreadOf, writeResults } from "./harness.ts"

const rounds = Number(process.argv[2] ?? 3)
const nodeCount = Number(process.argv[3] ?? 50)
const seconds = Number(process.argv[4] ?? 20)
const recordsPerSecond = 10

if (!hasMosquitto) throw new Error("Mosquitto is not installed: apt-get install mosquitto")

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a node says at a step: everything has moved a little. */
const recordOf = (node: number, step: number) => {
  const seenMs = Date.now()
  const whole = edgeRecord(`node-${node}`, { seenMs })
  const wave = Math.abs(Math.sin(step / 7 + node))
  return {
    ...whole,
    sensing: {
      ...whole.sensing!,
      timestampMs: seenMs,
      motion: wave,
      nPersons: 1 + Math.floor((step + 10 * node) / 100) % 3,
      presence: { present: true, confidence: 0.5 + wave / 2, reason: null },
      vitals: { ...whole.sensing!.vitals, breathingRateBpm: 12 + wave },
    },
  }
}

const broker = await startMosquitto()
const home = connect({ host: "127.0.0.1", port: broker.port, protocolVersion: 5 })
let messages = 0
const stateDelaysMs: Array<number> = []
home.on("message", (topic, payload) => {
  messages++
  if (topic.endsWith("/state")) stateDelaysMs.push(Date.now() - JSON.parse(String(payload)).timestamp_ms)
})
await home.subscribeAsync("#")

await withGrpcServer(
  ({ nodes, port }) =>
    Effect.promise(async () => {
      let step = 0
      const say = () => {
        step++
        for (let node = 0; node < nodeCount; node++) nodes.say(recordOf(node, step))
      }
      say()
      const saying = setInterval(say, 1000 / recordsPerSecond)
      const publisher = spawn(
        process.execPath,
        [...runtimeArguments(), "mqtt", "--from", `grpc://127.0.0.1:${port}`],
        {
          env: { ...process.env, WAVEPOSE_API_KEY: "viewer", WAVEPOSE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}` },
          stdio: ["ignore", "ignore", "inherit"],
        },
      )
      while (stateDelaysMs.length < 2 * nodeCount) await pause(100)
      await pause(5_000)
      const shares: Array<number> = []
      const rates: Array<number> = []
      const said: Array<number> = []
      stateDelaysMs.length = 0
      for (let round = 0; round < rounds; round++) {
        messages = 0
        const stepBefore = step
        const cpuBefore = cpuSecondsOf(publisher.pid!)
        const began = performance.now()
        await pause(1000 * seconds)
        const wallS = (performance.now() - began) / 1000
        shares.push((cpuSecondsOf(publisher.pid!) - cpuBefore) / wallS)
        rates.push(messages / wallS)
        said.push(nodeCount * (step - stepBefore) / wallS)
      }
      clearInterval(saying)
      const delays = stateDelaysMs.toSorted((a, b) => a - b)
      const results = {
        machine,
        nodes: nodeCount,
        rounds,
        recordsPerSecond: roundedSpread(spreadOf(said)),
        coreShare: roundedSpread(spreadOf(shares)),
        messagesPerSecond: roundedSpread(spreadOf(rates)),
        stateDelayMs: {
          median: rounded(delays[delays.length >> 1]!),
          p95: rounded(delays[Math.floor(0.95 * delays.length)]!),
        },
        residentMib: rounded(residentMibOf(publisher.pid!)),
      }
      publisher.kill("SIGKILL")
      console.log(results)
      writeResults("mqtt", results)
    }),
  {},
  new RouterDouble(() => Effect.die("not asked for")),
)
await home.endAsync(true)
await broker.stop()
