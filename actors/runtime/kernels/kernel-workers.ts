/**
 * The worker threads of the kernels, on Deno and on Node.
 *
 * Owns their life: all are there or none is. A worker that ends by itself (a trap, no memory) ends the others; whoever waits is told so.
 */
import { Worker } from "node:worker_threads"
import { BackendLost } from "./kernel-backend.ts"
import type { Program } from "./wasm-module.ts"
import type { KernelThreads } from "./wasm-backend.ts"

const workersMax = 4

/** Workers for a machine: a core is left to everything else, but one worker there is always, so that no call stops the rest. */
export const workersFor = (cores: number): number => Math.min(workersMax, Math.max(1, cores - 1))

/** Starts workers that compute in a program's memory. Rejects when one does not start. */
export const startKernelWorkers = async (program: Program, count: number): Promise<KernelThreads> => {
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL("./kernel-worker.ts", import.meta.url), { workerData: program }),
  )
  let ended: BackendLost | null = null
  let fail: (cause: BackendLost) => void
  const failure = new Promise<never>((_, reject) => fail = reject)
  failure.catch(() => undefined)

  const end = (reason: string): void => {
    if (ended !== null) return
    ended = new BackendLost(reason)
    fail(ended)
    for (const worker of workers) void worker.terminate()
  }
  for (const worker of workers) {
    worker.once("error", (cause) => end(`a kernel worker failed: ${cause}`))
    worker.once("exit", (code) => end(`a kernel worker ended with code ${code}`))
  }

  /** What each of some workers says next, or the end of any. */
  const answers = async (asked: ReadonlyArray<Worker>): Promise<void> => {
    const all = asked.map((worker) => new Promise((resolve) => worker.once("message", resolve)))
    await Promise.race([Promise.all(all), failure])
  }

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
