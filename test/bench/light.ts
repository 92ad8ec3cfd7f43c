/**
 * What a home costs: the memory and the CPU time of the service and of its children for one room on the embedded database, as a user starts it.
 *
 *     npm run bench:light -- [two-routers|living-room] [seconds before] [seconds]
 *
 * `two-routers` is the living room with the first two of its routers, `living-room` the default start with five; two persons live in both, and
 * the simulator sends as the routers would. Counted is each process with all of its threads, by Linux's own counts, over `seconds` in the
 * steady state. `residentMib` is the largest of the samples. The first start of a tree fills caches, so one start comes before. Writes the
 * row of the room in `results/light.json`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePorts } from "../harness/service.ts"
import { cpuSecondsOf, machine, residentMibOf, rounded, writeResults } from "./harness.ts"

const room = process.argv[2] ?? "two-routers"
const beforeS = Number(process.argv[3] ?? 120)
const seconds = Number(process.argv[4] ?? 60)
const sampleMs = 5_000
const target = { residentMib: 350, coreShare: 0.15 }

const inTree = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "wavepose-light-"))

/** The scenario of this name; the living room with two routers as a file. */
const scenario = (): string => {
  if (room !== "two-routers") return room
  const whole = JSON.parse(readFileSync(inTree("sim/scenarios/living-room.json"), "utf8"))
  whole.rooms[0].nodes.length = 2
  const file = join(folder, "two-routers.json")
  writeFileSync(file, JSON.stringify(whole))
  return file
}

/** Starts the service by the launcher; resolves when its console is ready. */
const start = async (data: string): Promise<ChildProcess> => {
  const child = spawn("node", [inTree("deploy/launch.mjs"), "start", "--json", "--scenario", scenario()], {
    env: {
      ...process.env,
      ...freePorts,
      WAVEPOSE_BRIDGE_PORT: "0",
      WAVEPOSE_DATA_DIR: join(folder, data),
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  await new Promise((resolve, reject) => {
    child.stdout!.on("data", (bytes) => (text += bytes).includes('"ready":"console"') && resolve(null))
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}:\n${text}`)))
  })
  return child
}

const stop = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((text) => text !== "").map(Number)
  )

/** The processes by their names: the service, and its children by the commands that they run. */
const processesOf = (launcher: number): ReadonlyMap<string, number> => {
  const service = childrenOf(launcher)[0]!
  const nameOf = (pid: number) => /\0(sim|replay|bridge|mqtt)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))![1]!
  return new Map([["service", service], ...childrenOf(service).map((pid) => [nameOf(pid), pid] as const)])
}

const load = loadavg()[0]!
await stop(await start("first"))
const startedMs = performance.now()
const launcher = await start("measured")
const readyMs = performance.now() - startedMs
await setTimeout(beforeS * 1000)
const processes = [...processesOf(launcher.pid!)].map(([name, pid]) => ({ name, pid, mib: 0, cpuS: cpuSecondsOf(pid) }))
const beganMs = performance.now()
while (performance.now() - beganMs < seconds * 1000) {
  await setTimeout(sampleMs)
  for (const one of processes) one.mib = Math.max(one.mib, residentMibOf(one.pid))
}
const elapsedS = (performance.now() - beganMs) / 1000
const row = {
  machine,
  load: { what: "load average of the machine before the run", minutes1: rounded(load) },
  target,
  readyMs: Math.round(readyMs),
  secondsBefore: beforeS,
  seconds: Math.round(elapsedS),
  processes: Object.fromEntries(processes.map(({ cpuS, mib, name, pid }) => [name, {
    residentMib: Math.round(mib),
    coreShare: rounded((cpuSecondsOf(pid) - cpuS) / elapsedS),
  }])),
}
await stop(launcher)
rmSync(folder, { recursive: true, force: true })
const file = inTree("test/bench/results/light.json")
writeResults("light", { ...existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}, [room]: row })
console.log(JSON.stringify(row, null, 2))
