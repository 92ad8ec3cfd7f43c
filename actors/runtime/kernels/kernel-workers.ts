/**
 * The worker threads of the kernels, on Deno and on Node.
 *
 * Invariant: all workers run or none does. A worker that ends by itself (a trap, out of memory) ends the others, and the calls in progress
 * reject with `BackendLost`.
 */
import { Worker } from "node:worker_threads"
import { BackendLost } from "./kernel-backend.ts"
import type { Program } from "./wasm-module.ts"
import type { KernelThreads } from "./wasm-backend.ts"

const workersMax = 4

/** Number of workers: one core is left for other work, but there is at least one worker, so that large calls do not block the event loop. */
export const workersFor = (cores: number): number => Math.min(workersMax, Math.max(1, cores - 1))

/** Starts workers that compute in the memory of a program. Rejects when one does not start. */
export const startKernelWorkers = async (program: Program, count: number): Promise<KernelThreads> => {
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL("./kernel-worker.ts", import.meta.url), { workerData: program }),
  )
  let ended: BackendLost | null = null
  /** Rejects the calls in progress. Each call removes its own entry: calls leave nothing on the backend, which may live for months. */
  const waiting = new Set<(cause: BackendLost) => void>()

  const end = (reason: string): void => {
    if (ended !== null) return
    ended = new BackendLost(reason)
    for (const reject of waiting) reject(ended)
    waiting.clear()
    for (const worker of workers) void worker.terminate()
  }
  for (const worker of workers) {
    worker.once("error", (cause) => end(`a kernel worker failed: ${cause}`))
    worker.once("exit", (code) => end(`a kernel worker exited with code ${code}`))
  }

  /** Waits for the next message of each of these workers. Rejects when any worker ends. */
  const answers = (asked: ReadonlyArray<Worker>): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add(reject)
      const all = asked.map((worker) => new Promise((answered) => worker.once("message", answered)))
      void Promise.all(all).then(() => {
        waiting.delete(reject)
        resolve()
      })
    })

  await answers(workers)
  return {
    count,
    run: async (parts) => {
      if (ended !== null) throw ended
      const answered = answers(workers.slice(0, parts.length))
      for (const [i, part] of parts.entries()) workers[i]!.postMessage(part)
      await answered
    },
    close: () => end("the kernel workers were closed"),
  }
}
