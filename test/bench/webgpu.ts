/**
 * The kernels on this machine's GPU, by Dawn and by the runtime's own WebGPU, beside WebAssembly and PyTorch on CUDA.
 *
 *     npm run bench:webgpu -- [quick]
 *
 * Dawn is the package `webgpu`. PyTorch is that of the system's `python3`, where it has one with a CUDA device. First every kernel is judged
 * against its float64 reference. Times are whole calls, as the service makes them: arrays go to the device and the result comes back.
 * "crossover" is a sweep over sizes; "network" is the forward pass of the pose network, its calls in steps (`runStep`) or one by one, "hop" a whole hop of the busy room.
 * `quick` measures small sizes for a moment, to check the bench on an emulated device, and writes nothing. Prints tables and writes
 * `results/webgpu.json`.
 */
import { backendSources, openWebGpu } from "../../actors/runtime/kernels/kernel-sources.ts"
import { judge, judgementOf } from "../../actors/runtime/kernels/backend-selftest.ts"
import type { Computation, Kernel, Params } from "../../core/kernels/kernel.ts"
import type { KernelBackend } from "../../actors/runtime/kernels/kernel-backend.ts"
import { benchKernels, kernels } from "../../core/kernels/kernels.ts"
import { uniform } from "../../core/kernels/samples.ts"
import { forward, type PoseInputs } from "../../core/pose/network.ts"
import { readPoseNetwork } from "../../deploy/composition/pose-models.ts"
import { randomPoseInputs } from "../harness/pose-inputs.ts"
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
import { startPython } from "./peers/python.ts"
import { observedRoom, timeHops } from "./room-hops.ts"

const isQuick = process.argv[2] === "quick"
const rounds = isQuick ? 1 : 5
const budgetMs = isQuick ? 1 : 25
const tokensEach = 30
const hopSeconds = isQuick ? 4 : 12
const hopsCounted = isQuick ? 2 : 50
const personsOf = isQuick ? [1] : [1, 4, 16, 64]

/** Calls of a size that is worth a GPU. The other kernels are measured at their trial shape alone. */
const large: Readonly<Record<string, Params>> = isQuick ? {} : {
  fft: { batch: 1024, size: 1024 },
  "complex-gemm": { batch: 1, m: 512, k: 1024, n: 512 },
  "back-projection": { points: 16_384, links: 90, antennas: 3, tones: 14, snapshots: 4 },
  "matched-field": { points: 16_384, links: 90, entries: 64, antennas: 3 },
  dense: { batch: 4096, inputs: 256, outputs: 256, activation: 2 },
}

/** Sizes of the sweep, by kernel, smallest first. */
const sweeps: Readonly<Record<string, ReadonlyArray<Params>>> = isQuick ? {} : {
  dense: [16, 64, 256, 1024, 4096].map((batch) => ({ batch, inputs: 128, outputs: 128, activation: 2 })),
  fft: [16, 64, 256, 1024, 4096].map((batch) => ({ batch, size: 256 })),
  "matched-field": [256, 1024, 4096, 16_384].map((points) => ({ points, links: 30, entries: 64, antennas: 3 })),
}

interface Case {
  readonly name: string
  readonly kernel: Kernel
  readonly params: Params
}

const all = [...kernels, ...benchKernels]
const casesOf = (sizes: Readonly<Record<string, ReadonlyArray<Params>>>): ReadonlyArray<Case> =>
  all.flatMap((kernel) =>
    (sizes[kernel.name] ?? []).map((params) => ({
      name: `${kernel.name} ${Object.values(params).join("x")}`,
      kernel,
      params,
    }))
  )

const own = casesOf(
  Object.fromEntries(all.map(({ name, trial }) => [name, name in large ? [trial, large[name]!] : [trial]])),
)
const swept = casesOf(sweeps)

const opened = {
  "webgpu (Dawn)": await openWebGpu("dawn"),
  "webgpu (runtime)": await openWebGpu("runtime"),
  wasm: await backendSources.find(({ name }) => name === "wasm")!.open(),
}
const backends = Object.entries(opened).flatMap(([name, backend]): ReadonlyArray<readonly [string, KernelBackend]> =>
  backend === null ? [] : [[name, backend]]
)
if (backends.length < 2) throw new Error("this machine has no WebGPU that can be reached")
const torch = await startPython("torch_peer.py", [], [
  JSON.stringify(Object.fromEntries(own.map(({ kernel, name, params }) => [name, { kernel: kernel.name, params }]))),
])

const asked = (name: string, command: string): Contender => ({
  name,
  measure: (budget) =>
    typeof torch === "string" ? Promise.reject(torch) : torch.ask({ name: command, budget_ms: budget }),
})

const peersOf = (name: string): ReadonlyArray<Contender> =>
  typeof torch === "string" || !(name in (torch.hello as { errors: object }).errors)
    ? []
    : [asked("torch", name), asked("torch, on the device", `${name} on the device`)]

const spreadsOf = (times: ReadonlyMap<string, ReadonlyArray<number>>) =>
  Object.fromEntries([...times].map(([name, ms]) => [name, roundedSpread(spreadOf(ms))]))

/** Wall time of a whole call, by contender. */
const measure = async ({ kernel, name, params }: Case, peers: ReadonlyArray<Contender>) => {
  const call = judgementOf(kernel, params, uniform(2))
  const errors: Record<string, number> = {}
  const contenders: Array<Contender> = []
  for (const [by, backend] of backends) {
    if (!backend.has(kernel, params)) continue
    const error = await judge(backend, kernel, call)
    if (!(error <= kernel.nrmseMax)) throw new Error(`${name} is wrong on ${by}: normalised error ${error}`)
    errors[by] = rounded(error)
    const output = new Float32Array(call.expected.length)
    contenders.push(inProcess(by, () => backend.run(kernel, params, call.inputs, output)))
  }
  const { wallMs } = await interleave([...contenders, ...peers], { rounds, budgetMs })
  const dawnOverWasm = wallMs.has("webgpu (Dawn)") ? roundedSpread(speedOver(wallMs, "webgpu (Dawn)", "wasm")) : null
  return { params, normalisedError: errors, wallMs: spreadsOf(wallMs), dawnOverWasm }
}

const measureAll = async (cases: ReadonlyArray<Case>, peers: (name: string) => ReadonlyArray<Contender>) => {
  const results: Record<string, Awaited<ReturnType<typeof measure>>> = {}
  for (const one of cases) results[one.name] = await measure(one, peers(one.name))
  console.table(Object.fromEntries(
    Object.entries(results).map(([name, { dawnOverWasm, wallMs }]) => [name, {
      ...Object.fromEntries(Object.entries(wallMs).map(([by, { median }]) => [`${by} ms`, median])),
      "Dawn over wasm": dawnOverWasm?.median,
    }]),
  ))
  return results
}

const network = readPoseNetwork("wavepose")
if (network === null) throw new Error("deploy/models has no weights")

const inputsOf = (persons: number): PoseInputs => randomPoseInputs(persons, tokensEach)

const runOn = async <A>({ run, runNow, runStep }: KernelBackend, computation: Computation<A>, inSteps: boolean) => {
  let step = computation.next()
  while (step.done !== true) {
    if (inSteps && runStep !== undefined) await runStep(step.value)
    else {
      for (const { inputs, kernel, output, params } of step.value) {
        if (runNow?.(kernel, params, inputs, output) !== true) await run(kernel, params, inputs, output)
      }
    }
    step = computation.next()
  }
  return step.value
}

/** Wall time of the network's forward pass, by contender. */
const measureNetwork = async (persons: number) => {
  const inputs = inputsOf(persons)
  const contenders = backends.flatMap(([name, backend]) => {
    const side = (inSteps: boolean) => () => runOn(backend, forward(network, inputs), inSteps)
    if (backend.runStep === undefined) return [inProcess(name, side(false))]
    return [inProcess(name, side(true)), inProcess(`${name}, call by call`, side(false))]
  })
  return spreadsOf((await interleave(contenders, { rounds, budgetMs })).wallMs)
}

console.log(
  `${backends.map(([name, { device }]) => `${name}: ${device}`).join("; ")}; ${machine.cpu}, ${machine.cores} cores`,
)
console.log(typeof torch === "string" ? `torch was not run: ${torch}` : torch.hello)
const networks: Record<string, Awaited<ReturnType<typeof measureNetwork>>> = {}
for (const persons of personsOf) networks[`${persons} persons`] = await measureNetwork(persons)
console.table(Object.fromEntries(
  Object.entries(networks).map(([name, sides]) => [
    name,
    Object.fromEntries(Object.entries(sides).map(([by, { median }]) => [`${by} ms`, median])),
  ]),
))
/** Wall time of a hop of the busy room. */
const measureHops = async () => {
  const room = await observedRoom(hopSeconds)
  const sides: Record<string, unknown> = {}
  for (const [name, backend] of backends) {
    const { ms, persons } = await timeHops(
      room,
      network,
      (computation) => runOn(backend, computation, true),
      hopsCounted,
    )
    const { max, median } = spreadOf(ms)
    sides[name] = { medianMs: rounded(median), maxMs: rounded(max), persons: rounded(persons) }
  }
  console.table(sides)
  return { hops: hopsCounted, sides }
}

const result = {
  machine,
  devices: Object.fromEntries(backends.map(([name, { device }]) => [name, device])),
  torch: typeof torch === "string" ? torch : torch.hello,
  rounds,
  budgetMs,
  hop: await measureHops(),
  network: networks,
  calls: await measureAll(own, peersOf),
  crossover: await measureAll(swept, () => []),
}
if (!isQuick) writeResults("webgpu", result)
if (typeof torch !== "string") torch.stop()
for (const [, backend] of backends) backend.close()
