/**
 * Usage of the machine by this process: processor, memory and disk. Null if the platform does not report it.
 */
import { Effect } from "effect"
import { readFile } from "node:fs/promises"

export interface ProcessUsage {
  /** CPU time of all threads since the start of the process. */
  readonly cpuS: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  /** Bytes read from and written to disks, excluding caches, since the start of the process. */
  readonly diskReadBytes: number | null
  readonly diskWrittenBytes: number | null
}

/** Linux reports the disk I/O of a process here. Other platforms have no equivalent. */
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
