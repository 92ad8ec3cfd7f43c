/**
 * The main thread of a plugin's process: runs the plugin in a thread, passes its messages on, and reports what the process uses.
 *
 * The plugin cannot block this thread. So the process ends when the service has ended, also while the plugin computes, and its use of the
 * processor and of memory is reported.
 * Boundary: nothing here is a protection. The process's permissions and the host's checks hold the plugin.
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

const thread = new Worker(new URL("./plugin-thread.ts", import.meta.url))
/** Messages of the host before the thread listens. */
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

const lines = createInterface({ input: process.stdin })
lines.on("line", (json) => early === null ? thread.postMessage(json) : void early.push(json))
// The service has ended.
lines.on("close", () => process.exit())

setInterval(() => {
  const { system, user } = process.cpuUsage()
  const usage: FromPlugin = {
    kind: "usage",
    upMs: Math.round(process.uptime() * 1_000),
    cpuMs: (system + user) / 1_000,
    residentBytes: process.memoryUsage.rss(),
  }
  write(JSON.stringify(usage))
}, reportMs)
