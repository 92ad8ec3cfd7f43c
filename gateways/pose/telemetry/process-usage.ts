/**
 * What this process takes of the machine: processor, memory and disk. Null where the platform does not say.
 */
import { Effect } from "effect"
import { readFile } from "node:fs/promises"

export interface ProcessUsage {
  /** Since the process began, all threads. */
  readonly cpuS: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  /** Bytes that went to and came from a disk, not its cache, since the process began. */
  readonly diskReadBytes: number | null
  readonly diskWrittenBytes: number | null
}

/** Linux tells a process's own traffic with the disks here; nothing does elsewhere. */
const ownDiskUse = "/proc/self/io"

const figure = (text: string, name: string): number | null => {
  const found = new RegExp(`^${name}: (\\d+)$`, "m").exec(text)
  return found === null ? null : Number(found[1])
}

/** The usage now. */
export const processUsage: Effect.Effect<ProcessUsage> = Effect.tryPromise(() => readFile(ownDiskUse, "utf8")).pipe(
  Effect.orElseSucceed(() => ""),
  Effect.map((io) => {
    const { system, user } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    return {
      cpuS: (system + user) / 1e6,
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      diskReadBytes: figure(io, "read_bytes"),
      diskWrittenBytes: figure(io, "write_bytes"),
    }
  }),
)
