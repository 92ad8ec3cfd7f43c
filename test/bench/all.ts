/**
 * All benches, one after the other, and their results as one table.
 *
 *     npm run bench                 runs all, then prints the table
 *     npm run bench -- table        prints the table of the committed results
 *
 * A bench that needs what this machine lacks fails, and its row says so. Takes about an hour.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"

interface Row {
  readonly bench: string
  /** What is shown: a name, and the path of its value in the results. */
  readonly figures: ReadonlyArray<readonly [name: string, path: string]>
}

const rows: ReadonlyArray<Row> = [
  { bench: "frames", figures: [["CPU ms a frame", "cpuMs.total.median"], ["packets/s", "packetsPerSecond"]] },
  { bench: "latency", figures: [["p95 ms", "latencyMs.p95"], ["target ms", "latencyMs.target.p95"]] },
  {
    bench: "resume",
    figures: [["frames by WebSocket", "webSocket.frames"], ["missing", "webSocket.missing"], [
      "frames by gRPC",
      "grpc.frames",
    ], ["missing", "grpc.missing"]],
  },
  {
    bench: "light",
    figures: [["MiB of a room", "two-routers.processes.service.residentMib"], [
      "core share",
      "two-routers.processes.service.coreShare",
    ]],
  },
  {
    bench: "overload",
    figures: [["p95 age ms beside 8 loops", "during.ageMs.p95"], ["late after the end, ms", "after.lastLateFrameMs"]],
  },
  {
    bench: "abuse",
    figures: [["frames/s", "quiet.framesPerSecond"], ["in a flood", "flood.framesPerSecond"], [
      "ms to the end of a plugin that spins",
      "plugins.spinner.endedMs",
    ]],
  },
  {
    bench: "cluster",
    figures: [["CPU a frame, 2 nodes / 1", "cost.cpuPerFrameTwoOverOne"], [
      "throughput, 2 nodes / 1",
      "cost.scalingByCpu",
    ]],
  },
  {
    bench: "gateway",
    figures: [["over node:http", "latest.overNodeHttp.median"], ["over ws", "fanOut.overWs.median"]],
  },
  { bench: "store", figures: [["frames/s", "framesPerSecond.append.median"], ["over COPY", "overCopy.median"]] },
  { bench: "bridge", figures: [["core share", "coreShare.median"], ["record age p95 ms", "recordAgeMs.p95"]] },
  { bench: "mqtt", figures: [["core share", "coreShare.median"], ["state delay p95 ms", "stateDelayMs.p95"]] },
  { bench: "home", figures: [["writes/s", "writesPerSecond"], ["lost events", "lostEvents"]] },
  {
    bench: "console",
    figures: [["ms between pictures, median", "results.0.intervalMs.median"], [
      "script ms a picture",
      "results.0.msAPicture.ScriptDuration",
    ]],
  },
  { bench: "decode", figures: [["nexmon int16 over copy", "results.nexmon int16.memoryOverCopy.median"]] },
  { bench: "kernels", figures: [["FFT, first call ms", "results.fft.firstCallMs"]] },
  { bench: "fuzz", figures: [["nexmon inputs/s", "families.nexmon.inputsPerSecond"]] },
  { bench: "analytics", figures: [["target ms", "targetMs"]] },
]

const inHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The value at a path of a result; a dash where there is none. */
const valueAt = (result: unknown, path: string): string => {
  const value = path.split(".").reduce<unknown>(
    (at, key) => at === null || typeof at !== "object" ? undefined : (at as Record<string, unknown>)[key],
    result,
  )
  return value === undefined || value === null ? "-" : String(value)
}

const readResult = (name: string): unknown => {
  const file = inHere(`results/${name}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null
}

const failed = new Set<string>()
if (process.argv[2] !== "table") {
  for (const { bench } of rows) {
    console.error(`wavepose: bench ${bench}`)
    const { status } = spawnSync(process.execPath, ["run", "--quiet", "-A", inHere(`${bench}.ts`)], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    if (status !== 0) failed.add(bench)
  }
}
const table = rows.flatMap(({ bench, figures }) => {
  const result = readResult(bench)
  const state = failed.has(bench) ? " (failed now; an earlier result)" : ""
  return figures.map(([name, path]) => [`${bench}${state}`, name, valueAt(result, path)] as const)
})
const width = (column: 0 | 1): number => Math.max(...table.map((cells) => cells[column].length))
for (const [bench, name, value] of table) console.log(`${bench.padEnd(width(0))}  ${name.padEnd(width(1))}  ${value}`)
process.exit(failed.size === 0 ? 0 : 1)
