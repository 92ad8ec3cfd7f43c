/**
 * The workers of the evaluation: threads that share the sequences.
 *
 * Invariants: a worker has one task at a time. Results have the order of the tasks, for any number of workers. The first
 * failure ends all workers.
 */
import { Worker } from "node:worker_threads"
import type { EvaluationKernels } from "../estimation/kernels.ts"
import type { Results, TaskKind, TaskOf } from "./task.ts"
import type { Answer } from "./worker.ts"

interface WorkersOptions<K extends TaskKind> {
  readonly count: number
  readonly kernels: EvaluationKernels
  /** Called with the result of each finished task. If it throws, all workers end. */
  readonly onDone: (task: TaskOf<K>, result: Results[K]) => void
  /** Ends the workers early. */
  readonly signal: AbortSignal
}

/** The next message of a worker. Rejects if the worker ends. */
const heard = <A>(worker: Worker): Promise<A> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number): void => reject(new Error(`an evaluation worker ended with code ${code}`))
    const done = (settle: () => void): void => {
      worker.off("exit", onExit).off("error", onError).off("message", onMessage)
      settle()
    }
    const onError = (cause: unknown): void => done(() => reject(cause))
    const onMessage = (message: A): void => done(() => resolve(message))
    worker.once("exit", onExit).once("error", onError).once("message", onMessage)
  })

/** Runs tasks of one kind. Rejects with the failure of a worker. */
export const runTasks = async <K extends TaskKind>(
  tasks: ReadonlyArray<TaskOf<K>>,
  { count, kernels, onDone, signal }: WorkersOptions<K>,
): Promise<ReadonlyArray<Results[K]>> => {
  signal.throwIfAborted()
  const results = new Array<Results[K]>(tasks.length)
  const workers = Array.from(
    { length: Math.min(count, tasks.length) },
    () => new Worker(new URL("./worker.ts", import.meta.url), { workerData: kernels }),
  )
  // Not every runtime emits an event for a terminated worker.
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => abort = () => reject(signal.reason))
  signal.addEventListener("abort", abort, { once: true })
  let next = 0
  const serve = async (worker: Worker): Promise<void> => {
    await heard(worker)
    while (next < tasks.length) {
      const at = next++
      worker.postMessage(tasks[at])
      const answer = await heard<Answer>(worker)
      if ("failure" in answer) {
        const { seed } = tasks[at]!
        throw new Error(`the sequence of seed ${seed} failed: ${answer.failure}`)
      }
      const result = answer.result as Results[K]
      results[at] = result
      onDone(tasks[at]!, result)
    }
  }
  try {
    await Promise.race([Promise.all(workers.map(serve)), aborted])
  } finally {
    signal.removeEventListener("abort", abort)
    for (const worker of workers) void worker.terminate()
  }
  return results
}
