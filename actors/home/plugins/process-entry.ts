/**
 * The main thread of a plugin's process: runs the plugin in a thread, passes its messages on, and reports what the process uses.
 *
 * The plugin cannot block this thread. So the process ends when the service has ended, also while the plugin computes, and its use of the
 * processor and of memory is reported.
 * The plugin can write to the output too. The reports have the key that is the first line of the input, and the plugin's thread starts after
 * this thread has read it.
 * Boundary: nothing else here is a protection. The process's permissions and the host's checks hold the plugin.
 */
import { writeSync } from "node:fs"
import process from "node:process"
import { createInterface } from "node:readline"
import { Worker } from "node:worker_threads"
import { recordSeparator } from "./message-frames.ts"
import type { FromPlugin } from "../../../protocols/messages/plugin-process.ts"

const reportMs = 250
const outputFile = 1

const write = (json: string): void => {
  let rest = Buffer.from(`${recordSeparator}${json}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(outputFile, rest))
}

const report = (key: string): void => {
  const { system, user } = process.cpuUsage()
  const usage: FromPlugin = {
    kind: "usage",
    key,
    cpuMs: (system + user) / 1_000,
    residentBytes: process.memoryUsage.rss(),
  }
  write(JSON.stringify(usage))
}

/** Starts the plugin's thread. Returns the function that passes a message of the host on. */
const startThread = (): (json: string) => void => {
  const thread = new Worker(new URL("./plugin-thread.ts", import.meta.url))
  /** Messages before the thread listens. */
  let early: Array<string> | null = []
  thread.on("message", (json: string) => {
    for (const each of early ?? []) thread.postMessage(each)
    early = null
    write(json)
  })
  thread.on("error", (error) => {
    process.stderr.write(`error: Uncaught ${error}\n`)
    process.exit(1)
  })
  thread.on("exit", () => process.exit(1))
  return (json) => early === null ? thread.postMessage(json) : void early.push(json)
}

const lines = createInterface({ input: process.stdin })
lines.once("line", (key) => {
  lines.on("line", startThread())
  setInterval(() => report(key), reportMs)
})
// The service has ended.
lines.on("close", () => process.exit())
