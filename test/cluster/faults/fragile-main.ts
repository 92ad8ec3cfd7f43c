/**
 * The entry point of the service with kernels that can be lost: on SIGUSR2 its kernel workers end, as they do after a trap.
 *
 * A thread cannot be ended from outside its process. The first worker is that of the embedded database, which stays.
 */
import process from "node:process"
import { Worker } from "node:worker_threads"

const workers: Array<Worker> = []
const { once } = Worker.prototype
Worker.prototype.once = function (this: Worker, ...args: Parameters<typeof once>) {
  if (!workers.includes(this)) workers.push(this)
  return once.apply(this, args)
} as typeof once

process.on("SIGUSR2", () => {
  for (const worker of workers.slice(1)) void worker.terminate()
})

await import("../../../deploy/main.ts")
