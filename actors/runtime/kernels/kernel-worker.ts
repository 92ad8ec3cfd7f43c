/**
 * A worker thread of the kernels: computes parts of calls in the memory that all workers share.
 */
import { parentPort, workerData } from "node:worker_threads"
import { compute, instantiate, type Part, type Program } from "./wasm-module.ts"

const instance = instantiate(workerData as Program)

// Attached before any await: Deno drops messages that arrive without a listener.
parentPort!.on("message", (part: Part) => {
  compute(instance, part)
  parentPort!.postMessage("done")
})
parentPort!.postMessage("ready")
