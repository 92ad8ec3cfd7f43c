/**
 * The harness of the benches: measures contenders in interleaved rounds, so that what else the machine does meets all of them.
 *
 * A contender is a function of one call's work. Each round runs every contender once, in an order that turns from round to round, for at
 * least the same time. The figure is the median over the rounds; the spread is from the lowest to the highest round. Comparisons are
 * made within a round and then summarised, never between the medians of different runs.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

/** One side of a comparison. */
export interface Contender {
  readonly name: string
  /** What one call takes, as the contender measures it: another process reports its own time. */
  readonly measure: (budgetMs: number) => Measured | Promise<Measured>
}

/** What a contender did in a round. */
export interface Measured {
  readonly calls: number
  readonly wallMs: number
  readonly cpuMs: number
}

/** A figure over the rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

interface Rounds {
  /** Wall time of a call, by contender and round. */
  readonly wallMs: ReadonlyMap<string, ReadonlyArray<number>>
  /** CPU time of a call, by contender and round. */
  readonly cpuMs: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Resident memory of a process, MiB. */
export const residentMibOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
})

/** Measures a function of this process, of which one call counts as `count`: calls it until the time is over, at least once. */
export const inProcess = (name: string, call: () => unknown, count = 1): Contender => ({
  name,
  measure: async (budgetMs) => {
    const cpuBefore = process.cpuUsage()
    const began = performance.now()
    let calls = 0
    do {
      await call()
      calls += count
    } while (performance.now() - began < budgetMs)
    const wallMs = performance.now() - began
    const { system, user } = process.cpuUsage(cpuBefore)
    return { calls, wallMs, cpuMs: (system + user) / 1000 }
  },
})

/** Runs all contenders in `rounds` rounds of `budgetMs` each, after one round that does not count. */
export const interleave = async (
  contenders: ReadonlyArray<Contender>,
  { budgetMs, rounds }: { readonly rounds: number; readonly budgetMs: number },
): Promise<Rounds> => {
  const wallMs = new Map(contenders.map(({ name }) => [name, [] as Array<number>]))
  const cpuMs = new Map(contenders.map(({ name }) => [name, [] as Array<number>]))
  for (let round = -1; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const { measure, name } = contenders[(i + Math.max(0, round)) % contenders.length]!
      const measured = await measure(budgetMs)
      if (round < 0) continue
      wallMs.get(name)!.push(measured.wallMs / measured.calls)
      cpuMs.get(name)!.push(measured.cpuMs / measured.calls)
    }
  }
  return { wallMs, cpuMs }
}

/** How many times as fast `name` is as `baseline`, round by round. */
export const speedOver = (times: ReadonlyMap<string, ReadonlyArray<number>>, name: string, baseline: string): Spread =>
  spreadOf(times.get(baseline)!.map((ms, round) => ms / times.get(name)![round]!))

const clockTicksPerSecond = 100

/** CPU time that a process has taken, all of its threads together, by Linux's own count. */
export const cpuSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  return (Number(stat[11]) + Number(stat[12])) / clockTicksPerSecond
}

/** A figure with three significant digits, for tables and results. */
export const rounded = (value: number): number => Number(value.toPrecision(3))

/** Time that a fixed computation takes now: the median of several runs. Virtual machines differ, and so does one from hour to hour. */
const referenceMs = (): number => {
  const values = Float64Array.from({ length: 4096 }, (_, i) => Math.sin(i))
  const once = (): number => {
    const began = performance.now()
    let sum = 0
    for (let pass = 0; pass < 1_000; pass++) {
      for (let i = 1; i < values.length; i++) sum = sum * 0.999 + values[i]! * values[i - 1]!
    }
    values[0] = sum / values.length
    return performance.now() - began
  }
  return rounded(median(Array.from({ length: 7 }, once)))
}

const referenceMsBefore = referenceMs()

/** What a result was measured on. Its speed is read when the results are written: results of a slow hour are not those of slow code. */
export const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  runtime: "Deno" in globalThis ? `deno ${process.versions["deno"] ?? ""}`.trim() : `node ${process.versions.node}`,
  /** Milliseconds of a fixed computation, before and after the bench. */
  get referenceMs() {
    return { before: referenceMsBefore, after: referenceMs() }
  },
}

/** A spread for tables and results. */
export const roundedSpread = ({ max, median, min }: Spread): Spread => ({
  median: rounded(median),
  min: rounded(min),
  max: rounded(max),
})

/** Writes `results/<name>.json` beside the benches. */
export const writeResults = (name: string, results: unknown): void => {
  const file = fileURLToPath(new URL(`./results/${name}.json`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}
