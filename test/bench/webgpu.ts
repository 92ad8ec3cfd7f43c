/**
 * The kernels on this machine's GPU, through the WebGPU of the runtime, against the service's other backends. Needs Deno and a GPU.
 *
 *     npm run bench:webgpu
 *
 * First every kernel is judged against its float64 reference, at the shape that the service tries at its start and at the large one
 * below. Times are whole calls, as the service makes them: arrays go to the device and the result comes back. Prints a table and writes
 * `results/webgpu.json`.
 */
import { backendSources } from "../../actors/runtime/kernels/kernel-sources.ts"
import { judge, type Judgement, judgementOf } from "../../actors/runtime/kernels/backend-selftest.ts"
import type { Kernel, Params } from "../../core/kernels/kernel.ts"
import type { KernelBackend } from "../../actors/runtime/kernels/kernel-backend.ts"
import { kernels } from "../../core/kernels/kernels.ts"
import { uniform } from "../../core/kernels/samples.ts"
import { typedArraysBackend } from "../../actors/runtime/kernels/typed-arrays-backend.ts"
import {
  type Contender,
  inProcess,
  interleave,
  machine,
  rounded,
  roundedSpread,
  speedOver,
  spreadOf,
  writeResults,
} from "./harness.ts"

const rounds = 5
const budgetMs = 200

/** Calls of a size that is worth a GPU; a kernel that has none here is measured at its trial shape. */
const large: Readonly<Record<string, Params>> = {
  fft: { batch: 1024, size: 1024 },
  "complex-gemm": { batch: 1, m: 512, k: 1024, n: 512 },
  "back-projection": { points: 16_384, links: 90, antennas: 3, tones: 14, snapshots: 4 },
  "matched-field": { points: 16_384, links: 90, entries: 64, antennas: 3 },
  dense: { batch: 4096, inputs: 256, outputs: 256, activation: 2 },
}

const open = async (name: string): Promise<KernelBackend> => {
  const backend = await backendSources.find((source) => source.name === name)!.open()
  if (backend === null) {
    throw new Error(`This machine has no ${name} that this runtime can reach. Run it on Deno, with a GPU.`)
  }
  return backend
}

const agreeing = async (name: string, backend: KernelBackend, kernel: Kernel, call: Judgement): Promise<Contender> => {
  const error = await judge(backend, kernel, call)
  if (!(error <= kernel.nrmseMax)) throw new Error(`${kernel.name} is wrong on ${name}: normalised error ${error}`)
  errors[kernel.name] = { ...errors[kernel.name], [name]: rounded(error) }
  const output = new Float32Array(call.expected.length)
  return inProcess(name, () => backend.run(kernel, call.params, call.inputs, output))
}

const errors: Record<string, Record<string, number>> = {}
const webgpu = await open("webgpu")
const wasm = await open("wasm")
const results: Record<string, unknown> = {}
const table: Record<string, unknown> = {}
for (const kernel of kernels) {
  if (!webgpu.has(kernel, kernel.trial)) continue
  await agreeing("webgpu", webgpu, kernel, judgementOf(kernel, kernel.trial, uniform(1)))
  const params = large[kernel.name] ?? kernel.trial
  const call = judgementOf(kernel, params, uniform(2))
  const contenders = [
    await agreeing("webgpu", webgpu, kernel, call),
    await agreeing("wasm", wasm, kernel, call),
    await agreeing("typed arrays", typedArraysBackend, kernel, call),
  ]
  const { wallMs } = await interleave(contenders, { rounds, budgetMs })
  const spreads = Object.fromEntries([...wallMs].map(([name, ms]) => [name, roundedSpread(spreadOf(ms))]))
  const fasterThanWasm = roundedSpread(speedOver(wallMs, "webgpu", "wasm"))
  results[kernel.name] = { params, normalisedError: errors[kernel.name], wallMs: spreads, fasterThanWasm }
  table[kernel.name] = {
    "webgpu ms": spreads["webgpu"]!.median,
    "wasm ms": spreads["wasm"]!.median,
    "typed arrays ms": spreads["typed arrays"]!.median,
    "webgpu over wasm": fasterThanWasm.median,
    error: errors[kernel.name]!["webgpu"],
  }
}
console.log(`${webgpu.device}; ${machine.cpu}, ${machine.cores} cores`)
console.table(table)
writeResults("webgpu", { machine, device: webgpu.device, rounds, budgetMs, results })
webgpu.close()
wasm.close()
