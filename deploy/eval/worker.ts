/**
 * A worker thread of the evaluation: runs the sequences that it receives, one at a time, on Deno and on Node.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type EvaluationKernels, openKernels } from "../estimation/kernels.ts"
import { runTask, type Task } from "./task.ts"

/** The answer of a worker to a task. */
export type Answer =
  | { readonly result: unknown }
  | { readonly failure: string }

const kernels = openKernels(workerData as EvaluationKernels)
kernels.catch(() => undefined)

const answer = async (task: Task): Promise<Answer> => {
  try {
    return { result: await runTask(task, await kernels) }
  } catch (cause) {
    return { failure: cause instanceof Error ? cause.stack ?? cause.message : String(cause) }
  }
}

// Attached before the first await, because Deno drops messages posted before it.
parentPort!.on("message", (task: Task) => void answer(task).then((said) => parentPort!.postMessage(said)))
parentPort!.postMessage("ready")
