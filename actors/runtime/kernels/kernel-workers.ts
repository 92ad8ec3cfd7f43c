/**
 * The worker threads of the kernels, on Deno and on Node.
 *
 * Invariant: all workers run or none does. A worker that ends by itself (a trap, out of memory) ends the others, and the calls in progress
 * reject with `BackendLost`.
 */
import { Worker } from "node:worker_threads"
import { BackendLost } from "./kernel-backend.ts"
import { makeLoss } from "./loss.ts"
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
  const { cause, lose, orLost } = makeLoss()

  const end = (reason: string): void => {
    if (cause() !== null) return
    lose(new BackendLost(reason))
    for (const worker of workers) void worker.terminate()
  }
  for (const worker of workers) {
    worker.once("error", (error) => end(`a kernel worker failed: ${error}`))
    worker.once("exit", (code) => end(`a kernel worker exited with code ${code}`))
  }

  /** Waits for the next message of each of these workers. Rejects when any worker ends. */
  const answers = (asked: ReadonlyArray<Worker>): Promise<ReadonlyArray<unknown>> =>
    orLost(Promise.all(asked.map((worker) => new Promise((resolve) => worker.once("message", resolve)))))

  await answers(workers)
  return {
    count,
    run: async (parts) => {
      const ended = cause()
      if (ended !== null) throw ended
      const answered = answers(workers.slice(0, parts.length))
      for (const [i, part] of parts.entries()) workers[i]!.postMessage(part)
      await answered
    },
    close: () => end("the kernel workers were closed"),
  }
}
