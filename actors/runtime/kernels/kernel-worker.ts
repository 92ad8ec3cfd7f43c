/**
 * A worker thread of the kernels: computes parts of calls in the memory that it shares with the others.
 */
import { parentPort, workerData } from "node:worker_threads"
import { compute, instantiate, type Part, type Program } from "./wasm-module.ts"

const instance = instantiate(workerData as Program)

// Attached before anything is awaited: Deno drops what is posted earlier.
parentPort!.on("message", (part: Part) => {
  compute(instance, part)
  parentPort!.postMessage("done")
})
parentPort!.postMessage("ready")
