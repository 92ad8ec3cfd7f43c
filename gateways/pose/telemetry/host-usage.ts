/**
 * Usage of this machine: shares of processor time, memory and disk, 0..1.
 */
import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { cpus, freemem, totalmem } from "node:os"
import type { HostUsage } from "../../../protocols/pose-api/system-status.ts"

interface Ticks {
  readonly busy: number
  readonly all: number
}

const readTicks = (): Ticks => {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    busy += working
    all += working + times.idle
  }
  return { busy, all }
}

/** Minimum number of ticks (ms of CPU time) between two measurements of the processor. A core makes about 1000 a second. */
const ticksMin = 500

const diskUsage = (path: string): Effect.Effect<number | null> =>
  Effect.tryPromise(() => statfs(path)).pipe(
    Effect.map(({ blocks, bavail }) => blocks === 0 ? null : 1 - bavail / blocks),
    Effect.orElseSucceed(() => null),
  )

/**
 * Measures this machine. `diskPath` is any path on the disk to measure. The processor's share covers the time since the last measurement;
 * it is null until the second measurement.
 */
export const makeHostUsage = (diskPath: string): Effect.Effect<Effect.Effect<HostUsage>> =>
  Effect.sync(() => {
    let last = readTicks()
    let cpu: number | null = null
    const cpuUsage = (): number | null => {
      const ticks = readTicks()
      const all = ticks.all - last.all
      if (all < ticksMin) return cpu
      cpu = Math.min(1, Math.max(0, (ticks.busy - last.busy) / all))
      last = ticks
      return cpu
    }
    return Effect.map(diskUsage(diskPath), (disk) => ({ cpu: cpuUsage(), memory: 1 - freemem() / totalmem(), disk }))
  })
