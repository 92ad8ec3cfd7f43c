/**
 * A worker thread of the evaluation: runs the sequences that it is given, one at a time, on Deno and on Node.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type EvaluationKernels, openKernels } from "./kernels.ts"
import { runTask, type Task } from "./task.ts"

/** What a worker says of a task. */
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

// Attached before anything is awaited: Deno drops what is posted earlier.
parentPort!.on("message", (task: Task) => void answer(task).then((said) => parentPort!.postMessage(said)))
parentPort!.postMessage("ready")
