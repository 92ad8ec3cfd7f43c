/**
 * The faults that are injected into real processes, one after the other. Each ends with the cluster as it was before.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { setImmediate } from "node:timers/promises"
import { batchOf } from "../../../deploy/cluster-simulation/batches.ts"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import { eventually } from "../../harness/service.ts"
import { eventFaults } from "./event-faults.ts"
import { kernelFaults } from "./kernel-faults.ts"
import { machineFaults } from "./machine-faults.ts"
import type { FaultCase, FaultWorld } from "./world.ts"

/** From a crash to new frames, and in a planned move. */
const recoveryMs = 6_000
const plannedMs = 1_000
const busyProcesses = 8
const floodDatagrams = 20_000

const signal = ({ second }: FaultWorld, name: NodeJS.Signals): void => void process.kill(second().process.pid!, name)

const isReady = async ({ stays }: FaultWorld): Promise<boolean> =>
  (await fetch(`${stays.pose}/health/ready`).then((answer) => answer.status, () => 0)) === 200

/** Batches that no device sends: bytes of no batch, a batch cut short, values that are no numbers, and times far away. */
const poison = (): ReadonlyArray<Uint8Array> => {
  const good = batchOf("red.1", 1)
  const nan = { ...good, csi: new Float32Array(good.csi.length).fill(Number.NaN) }
  const future = { ...good, timestampsUs: good.timestampsUs.map(() => 4e15) }
  const bytes = encodeCsiBatch(good)
  return [
    new Uint8Array([1, 2, 3, 255, 255]),
    bytes.subarray(0, bytes.length - 20),
    encodeCsiBatch(nan),
    encodeCsiBatch(future),
  ]
}

/** As many datagrams of one sender as the machine sends. */
const flood = async ({ stays: { datagrams } }: FaultWorld) => {
  const socket = createSocket("udp4")
  const bytes = Buffer.alloc(300, 7)
  for (let i = 0; i < floodDatagrams; i++) {
    socket.send(bytes, datagrams.port, datagrams.host)
    if (i % 100 === 0) await setImmediate()
  }
  socket.close()
}

/** The faults of the short matrix, which runs with the tests. */
export const shortMatrix: ReadonlyArray<FaultCase> = [
  {
    name: "kill -9 of a node",
    limitMs: recoveryMs,
    lostHopsMax: 1,
    run: async (world) => {
      await world.second().kill()
      await world.settle()
    },
  },
  {
    name: "a node joins",
    limitMs: plannedMs,
    run: (world) => world.startSecond(),
  },
  {
    name: "batches twice and out of order",
    limitMs: plannedMs,
    run: async (world) => {
      world.sending.disorder = true
      await world.settle()
      world.sending.disorder = false
    },
  },
  {
    name: "poison packets",
    limitMs: plannedMs,
    run: async (world) => {
      for (const bytes of poison()) await world.sendRaw(bytes)
    },
  },
]

/** All of them. */
export const fullMatrix: ReadonlyArray<FaultCase> = [
  ...shortMatrix,
  {
    name: "SIGTERM of a node",
    limitMs: plannedMs,
    run: async (world) => {
      await world.second().stop()
      await world.settle()
    },
  },
  { name: "a node joins again", limitMs: plannedMs, run: (world) => world.startSecond() },
  {
    name: "SIGSTOP of a node until its rooms have moved, then SIGCONT",
    limitMs: recoveryMs,
    lostHopsMax: null,
    run: async (world) => {
      signal(world, "SIGSTOP")
      await world.settle()
      signal(world, "SIGCONT")
    },
  },
  {
    name: "a node's link to the database stalls until its rooms have moved, then resumes",
    limitMs: 8_000,
    lostHopsMax: null,
    run: async (world) => {
      world.link.stall()
      await world.settle()
      world.link.resume()
    },
  },
  {
    name: "a node's link to the database is slow: 200 ms each way",
    limitMs: recoveryMs,
    run: async (world) => {
      world.link.delay(200)
      await world.settle()
      world.link.delay(0)
    },
  },
  {
    name: "PostgreSQL crashes and restarts",
    lostHopsMax: null,
    limitMs: recoveryMs,
    run: async ({ postgres }) => {
      await postgres.crash()
      await postgres.start()
    },
  },
  {
    name: "PostgreSQL is away until the node is not ready, then returns",
    lostHopsMax: null,
    limitMs: recoveryMs,
    run: async (world) => {
      await world.postgres.crash()
      await eventually(() => isReady(world), (ready) => !ready, 60_000)
      await world.postgres.start()
    },
  },
  { name: `flood of ${floodDatagrams} datagrams from one sender`, limitMs: 3_000, run: flood },
  {
    name: `${busyProcesses} busy processes of their own sessions`,
    limitMs: 5_000,
    run: async (world) => {
      const loads: ReadonlyArray<ChildProcess> = Array.from(
        { length: busyProcesses },
        () => spawn("setsid", ["timeout", "120", "sh", "-c", "while :; do :; done"], { stdio: "ignore" }),
      )
      await world.settle()
      for (const { pid } of loads) process.kill(pid!, "SIGTERM")
    },
  },
  ...eventFaults,
  ...kernelFaults,
  ...machineFaults,
]
