/** Overload for the soak: processes that want the CPU, how much the machine does without them, and what the service says of it. */
import { type ChildProcess, spawn } from "node:child_process"
import { cpus } from "node:os"
import { busyTicks, ticksPerS } from "../harness/foreign-load.ts"
import type { signIn } from "../harness/service.ts"

/** A process that wants a part of a core is busy for that part of this time. */
const turnS = 0.5

/** Reads the cores that all processes of this machine have used since the last reading. */
export const makeUsedCores = (): () => number => {
  let before = { ticks: busyTicks(), ms: performance.now() }
  return () => {
    const now = { ticks: busyTicks(), ms: performance.now() }
    const cores = (now.ticks - before.ticks) / ticksPerS / ((now.ms - before.ms) / 1000)
    before = now
    return cores
  }
}

/** Cores that busy processes must want, so that all together want this percentage of the CPU. */
export const missingCores = (percent: number, usedCores: number): number =>
  Math.max(0, percent / 100 * cpus().length - usedCores)

/** Starts processes that want so many cores for a time; each has a session of its own, so that the scheduler counts it like the service. */
export const startBusy = (cores: number, seconds: number): ReadonlyArray<ChildProcess> =>
  Array.from({ length: Math.ceil(cores) }, (_, i) => {
    const busyS = Math.min(1, cores - i) * turnS
    const spin = "while :; do :; done"
    const turns = `while :; do timeout ${busyS.toFixed(2)} sh -c '${spin}'; sleep ${(turnS - busyS).toFixed(2)}; done`
    return spawn("setsid", ["timeout", String(seconds), "sh", "-c", busyS === turnS ? spin : turns], {
      stdio: "ignore",
    })
  })

export interface Pace {
  readonly health: string
  /** How many environments have each effort. */
  readonly efforts: Readonly<Record<string, number>>
  /** Of all environments since they started on their present node. */
  readonly shedHops: number
  readonly missedHops: number
}

interface EnvironmentPace {
  readonly environment_id: string
  /** Null: its node did not answer in time. */
  readonly pace: { readonly effort: string; readonly shed_hops: number; readonly missed_hops: number } | null
}

/** What the service says of the pace of its environments; null: it did not answer. */
export const readPace = async (
  api: Awaited<ReturnType<typeof signIn>>,
  has: (environmentId: string) => boolean,
): Promise<Pace | null> => {
  const answers = await Promise.all([api.get("/health"), api.get("/system/diagnostics")]).catch(() => null)
  const [health, diagnostics] = answers ?? []
  const environments: ReadonlyArray<EnvironmentPace> | undefined = diagnostics?.body?.environments
  if (environments === undefined) return null
  const paces = environments.filter(({ environment_id }) => has(environment_id)).flatMap(({ pace }) => pace ?? [])
  const sum = (field: "shed_hops" | "missed_hops") => paces.reduce((total, pace) => total + pace[field], 0)
  const efforts = Map.groupBy(paces, ({ effort }) => effort)
  return {
    health: String(health?.body?.status),
    efforts: Object.fromEntries([...efforts].map(([effort, { length }]) => [effort, length])),
    shedHops: sum("shed_hops"),
    missedHops: sum("missed_hops"),
  }
}
