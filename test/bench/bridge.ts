/**
 * What the edge bridge costs: 50 nodes at 10 records a second through the real gRPC edge and the process `wavepose bridge`, while a client
 * asks for the vitals of every node once a second.
 *
 *     npm run bench:bridge -- [rounds] [nodes] [seconds]
 *
 * The bridge is judged by its own CPU time, all threads together. `serviceShareMax` is what this process took meanwhile: the edge hub, the
 * gate and gRPC, but also the nodes' doubles and the client, so the service's own share is less. Not measured: the EdgeNode actors.
 * Writes `results/bridge.json`.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { RouterDouble } from "../gateways/cluster.ts"
import { withGrpcServer } from "../gateways/grpc/site.ts"
import { edgeRecord } from "../harness/edge-records.ts"
import { runtimeArguments } from "../harness/service.ts"
import { cpuSecondsOf, machine, rounded, roundedSpread, spreadOf, writeResults } from "./harness.ts"

const rounds = Number(process.argv[2] ?? 3)
const nodeCount = Number(process.argv[3] ?? 50)
const seconds = Number(process.argv[4] ?? 20)
const recordsPerSecond = 10

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a node says at a step: everything has moved a little. */
const recordOf = (node: number, step: number) => {
  const seenMs = Date.now()
  const whole = edgeRecord(`node-${node}`, { seenMs, privacyClass: node % 2 === 0 ? 2 : 3 })
  const wave = Math.abs(Math.sin(step / 7 + node))
  return { ...whole, sensing: { ...whole.sensing!, timestampMs: seenMs, motion: wave } }
}

/** A bridge process and its address. */
const startBridge = async (port: number) => {
  const child = spawn(process.execPath, [...runtimeArguments(), "bridge", "--from", `grpc://127.0.0.1:${port}`], {
    env: { ...process.env, WAVEPOSE_API_KEY: "viewer", WAVEPOSE_BRIDGE_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { ready, url } = JSON.parse(line) as { readonly ready?: string; readonly url: string }
    if (ready === "bridge") return { child, url }
  }
  throw new Error("The bridge did not start.")
}

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
      const { child, url } = await startBridge(port)
      const delaysMs: Array<number> = []
      const ask = async (node: number) => {
        const response = await fetch(`${url}/api/v1/vitals/node-${node}/latest`)
        const { timestamp_ms } = await response.json() as { readonly timestamp_ms?: number }
        if (timestamp_ms !== undefined) delaysMs.push(Date.now() - timestamp_ms)
      }
      let next = 0
      const asking = setInterval(() => void ask(next++ % nodeCount), 1000 / nodeCount)
      await pause(5_000)
      delaysMs.length = 0
      const shares: Array<number> = []
      const serviceShares: Array<number> = []
      const said: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        const stepBefore = step
        const cpuBefore = [cpuSecondsOf(child.pid!), cpuSecondsOf(process.pid)] as const
        const began = performance.now()
        await pause(1000 * seconds)
        const wallS = (performance.now() - began) / 1000
        shares.push((cpuSecondsOf(child.pid!) - cpuBefore[0]) / wallS)
        serviceShares.push((cpuSecondsOf(process.pid) - cpuBefore[1]) / wallS)
        said.push(nodeCount * (step - stepBefore) / wallS)
      }
      clearInterval(saying)
      clearInterval(asking)
      const delays = delaysMs.toSorted((a, b) => a - b)
      const results = {
        machine,
        nodes: nodeCount,
        rounds,
        recordsPerSecond: roundedSpread(spreadOf(said)),
        coreShare: roundedSpread(spreadOf(shares)),
        serviceShareMax: roundedSpread(spreadOf(serviceShares)),
        answers: delays.length,
        // Up to a tenth of a second of it is the pace of the nodes.
        recordAgeMs: {
          median: rounded(delays[delays.length >> 1]!),
          p95: rounded(delays[Math.floor(0.95 * delays.length)]!),
        },
      }
      child.kill("SIGKILL")
      console.log(results)
      writeResults("bridge", results)
    }),
  {},
  new RouterDouble(() => Effect.die("not asked for")),
)
