/**
 * Soak: the whole service under 1,000 CSI frames/s of six routers, with its memory measured all along.
 *
 *     npm run soak -- [minutes] [embedded|postgres]
 *     npm run soak -- cluster [options]       several nodes: see `soak-cluster.ts`
 *
 * Prints a line per sample and writes `results/soak-<store>.json`. The figure is the slope of the resident memory after the first fifth of
 * the run. The heap is limited, so that garbage which V8 has not yet cared to collect is not taken for a leak: a leak would end the
 * process. The embedded database lives in the same process, in a WebAssembly memory of 128 MiB that does not grow but is
 * touched page by page: its resident part is given too, so that it is not taken for the service's.
 */
import { readFileSync } from "node:fs"
import { startPostgres } from "../harness/postgres.ts"
import { signIn, startService } from "../harness/service.ts"
import { cpuSecondsOf, residentMibOf, writeResults } from "./harness.ts"

// It ends the process.
if (process.argv[2] === "cluster") await import("./soak-cluster.ts")

const minutes = Number(process.argv[2] ?? 10)
const sampleMs = 10_000
const heapMibMax = 160
const store = process.argv[3] === "postgres" ? "postgres" : "embedded"

interface Sample {
  readonly atS: number
  readonly residentMib: number
  /** Of these, in the embedded database's memory; 0 without one. */
  readonly databaseMib: number
  readonly cpuShare: number
  readonly framesPerSecond: number
  readonly packetsPerSecond: number
}

/** Resident memory and CPU time of a process, from Linux's own counts. */
const usageOf = (pid: number): { readonly residentMib: number; readonly cpuS: number } => ({
  residentMib: residentMibOf(pid),
  cpuS: cpuSecondsOf(pid),
})

/** Resident part of the largest mapping of 128 MiB: the memory of the embedded database. */
const databaseMibOf = (pid: number): number => {
  let residentKib = 0
  let wanted = false
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) {
      wanted = range !== null && parseInt(range[2]!, 16) - parseInt(range[1]!, 16) === 2 ** 27
    } else if (wanted && line.startsWith("Rss:")) residentKib = Math.max(residentKib, Number(/\d+/.exec(line)![0]))
  }
  return Math.round(residentKib / 1024)
}

/** Least-squares slope of `y` over `x`. */
const slope = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const mean = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) /
    points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

const postgres = store === "postgres" ? await startPostgres() : null
if (store === "postgres" && postgres === null) throw new Error("there is no PostgreSQL on this machine")
const service = await startService({
  args: ["--scenario", "small-room"],
  heapMibMax,
  env: postgres === null ? {} : { DATABASE_URL: postgres.url },
})
const api = await signIn(service)
const pid = service.process.pid!
const samples: Array<Sample> = []
const beganMs = performance.now()
let before = usageOf(pid)

while (performance.now() - beganMs < minutes * 60_000) {
  await new Promise((resolve) => setTimeout(resolve, sampleMs))
  const now = usageOf(pid)
  const { body: bare } = await api.get("/system/status")
  const { body: envelope } = await api.get("/system/status?form=envelope")
  const sample: Sample = {
    atS: Math.round((performance.now() - beganMs) / 1000),
    residentMib: Math.round(now.residentMib),
    databaseMib: databaseMibOf(pid),
    cpuShare: Math.round(((now.cpuS - before.cpuS) / (sampleMs / 1000)) * 100) / 100,
    framesPerSecond: envelope.data.performance.average_fps,
    packetsPerSecond: bare.components.csi_receiver.data_rate_hz,
  }
  before = now
  samples.push(sample)
  console.log(JSON.stringify(sample))
}
await service.stop()
await postgres?.stop()

const settled = samples.slice(Math.floor(samples.length / 5))
const result = {
  store,
  minutes,
  heapMibMax,
  runtime: "Deno" in globalThis ? "deno" : `node ${process.version}`,
  slopeMibPerMinute:
    Math.round(slope(settled.map(({ atS, databaseMib, residentMib }) => [atS / 60, residentMib - databaseMib])) * 100) /
    100,
  residentMib: {
    first: settled[0]!.residentMib,
    last: settled.at(-1)!.residentMib,
    max: Math.max(...samples.map((s) => s.residentMib)),
  },
  meanCpuShare: settled.reduce((sum, { cpuShare }) => sum + cpuShare, 0) / settled.length,
  samples,
}
writeResults(`soak-${store}`, result)
console.log(JSON.stringify({ ...result, samples: samples.length }))
