/**
 * Kernels on the processors: WebAssembly SIMD against the best of C (FFTW, OpenBLAS), NumPy, and the other backends that need no GPU.
 *
 *     npm run bench:kernels -- [fft|gemm|projection ...]
 *
 * Before anything is measured, each contender of ours must agree with the float64 reference, and each peer with its own. "wasm" is
 * computing alone, by one thread, on arrays that are in its memory; "wasm, whole calls" is what the service sees: arrays copied in and
 * out, and as many threads as the service has. Peers have one thread. Prints a table and writes `results/kernels.json`.
 */
import FFT from "fft.js"
import { availableParallelism } from "node:os"
import { openGpuJs } from "../../actors/runtime/kernels/kernel-sources.ts"
import { loadKernelModule } from "../../actors/runtime/kernels/kernel-module.ts"
import { startKernelWorkers, workersFor } from "../../actors/runtime/kernels/kernel-workers.ts"
import { backProjection } from "../../core/kernels/back-projection.ts"
import { complexGemm } from "../../core/kernels/complex-gemm.ts"
import { fft } from "../../core/kernels/fft.ts"
import { judge, type Judgement, judgementOf, nrmse } from "../../actors/runtime/kernels/backend-selftest.ts"
import type { Kernel, Params } from "../../core/kernels/kernel.ts"
import type { KernelBackend } from "../../actors/runtime/kernels/kernel-backend.ts"
import { uniform } from "../../core/kernels/samples.ts"
import { typedArraysBackend } from "../../actors/runtime/kernels/typed-arrays-backend.ts"
import { compute, instantiate, openProgram, slackBytes } from "../../actors/runtime/kernels/wasm-module.ts"
import { createWasmBackend } from "../../actors/runtime/kernels/wasm-backend.ts"
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
import { type PythonPeer, startPython } from "./peers/python.ts"

const rounds = 7
const budgetMs = 150
const errorMax = 1e-4
const packages = ["pyfftw==0.15.1", "numpy==2.4.6"]
const oneThread = { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" }

const size = 1024
const transforms = 64
const matrices = { m: 512, k: 1000, n: 512 }
const grid = { points: 65_536, links: 20, tones: 50 }

const agree = (name: string, error: number): void => {
  if (!(error <= errorMax)) throw new Error(`${name} is wrong: normalised error ${error}`)
}

const { bytes } = await loadKernelModule()
const program = openProgram(bytes)
const instance = instantiate(program)
const memory = new Float32Array(program.memory.buffer)

/** Computing alone: the call's arrays are put into the memory once, and computed `count` times by this thread. */
const computing = (
  exported: string,
  kernel: Kernel,
  { expected, inputs, params }: Judgement,
  count: number,
): Contender => {
  const args = kernel.params.map((param) => params[param]!)
  let free = instance.arena
  const place = (length: number): number => {
    const at = Math.ceil(free / 64) * 64
    free = at + 4 * length + slackBytes
    return at
  }
  const addresses = inputs.map((input) => {
    const at = place(input.length)
    memory.set(input, at / 4)
    return at
  })
  const output = place(expected.length)
  const work = place(0)
  const part = {
    name: exported,
    args: [...args, ...addresses, output, work, 0, instance.exports[`${exported}Units`]!(...args)],
  }
  compute(instance, part)
  agree("wasm", nrmse(memory.slice(output / 4, output / 4 + expected.length), expected))
  return inProcess("wasm", () => {
    for (let i = 0; i < count; i++) compute(instance, part)
  }, count)
}

/** Whole calls of a backend, each of which counts as `count`. */
const calling = async (
  name: string,
  backend: KernelBackend,
  kernel: Kernel,
  call: Judgement,
  count = 1,
): Promise<Contender> => {
  agree(name, await judge(backend, kernel, call))
  const output = new Float32Array(call.expected.length)
  return inProcess(name, () => backend.run(kernel, call.params, call.inputs, output), count)
}

/** A transform of fft.js on its own arrays. */
const fftJs = ({ expected, inputs }: Judgement): Contender => {
  const transform = new FFT(size)
  const input = Array.from(inputs[0]!.subarray(0, 2 * size))
  const output = transform.createComplexArray()
  transform.transform(output, input)
  agree("fft.js", nrmse(Float32Array.from(output), expected.subarray(0, 2 * size)))
  return inProcess("fft.js", () => {
    for (let i = 0; i < transforms; i++) transform.transform(output, input)
  }, transforms)
}

/** A comparison: what it is of, whom to, and what is aimed at. */
interface Case {
  readonly kernel: Kernel
  /** Name of the module's export. */
  readonly exported: string
  readonly params: Params
  /** Of what a figure is, and how many of them a call has. */
  readonly unit: string
  readonly count: number
  /** Peers by name, with what each is asked for. */
  readonly peers: ReadonlyArray<readonly [peer: "python" | "avx2", name: string]>
  readonly targets: Readonly<Record<string, number>>
}

const cases: Readonly<Record<string, Case>> = {
  fft: {
    kernel: fft as unknown as Kernel,
    exported: "fft",
    params: { batch: transforms, size },
    unit: `transform of ${size} complex numbers`,
    count: transforms,
    peers: [["python", "fftw"], ["python", "pocketfft"]],
    targets: { fftw: 0.4, pocketfft: 1.2 },
  },
  gemm: {
    kernel: complexGemm as unknown as Kernel,
    exported: "complexGemm",
    params: { batch: 1, ...matrices },
    unit: `complex product ${Object.values(matrices).join(" x ")}`,
    count: 1,
    peers: [["python", "openblas"], ["avx2", "openblas"]],
    targets: { openblas: 0.45, "openblas, AVX2": 0.45 },
  },
  projection: {
    kernel: backProjection as unknown as Kernel,
    exported: "backProjection",
    params: { ...grid, antennas: 1, snapshots: 1 },
    unit: `back-projection of ${grid.links} links x ${grid.tones} tones at ${grid.points} points`,
    count: 1,
    peers: [["python", "numpy, a sine each"], ["python", "numpy, Horner"]],
    targets: { "numpy, a sine each": 8 },
  },
}
const all = Object.keys(cases)
const chosen = process.argv.length > 2 ? all.filter((name) => process.argv.includes(name)) : all

type Peers = Readonly<Record<"python" | "avx2", PythonPeer | string>>

const startPeers = async (): Promise<Peers> => {
  const sizes = { fft: { size }, gemm: matrices, projection: grid }
  const own = JSON.stringify(Object.fromEntries(Object.entries(sizes).filter(([name]) => chosen.includes(name))))
  const gemm = JSON.stringify({ gemm: matrices })
  return {
    python: await startPython("kernels_peer.py", packages, [own], oneThread),
    avx2: await startPython("kernels_peer.py", packages, [gemm], { ...oneThread, OPENBLAS_CORETYPE: "Haswell" }),
  }
}

interface Hello {
  readonly versions: Readonly<Record<string, string>>
  readonly errors: Readonly<Record<string, number>>
}

const titleOf = (peer: keyof Peers, name: string): string => peer === "avx2" ? `${name}, AVX2` : name

const peerContenders = (peers: Peers, { peers: wanted }: Case): ReadonlyArray<Contender> =>
  wanted.flatMap(([peer, name]) => {
    const process = peers[peer]
    if (typeof process === "string") return []
    const error = (process.hello as Hello).errors[name]
    if (error === undefined) return []
    agree(name, error)
    return [{ name: titleOf(peer, name), measure: (budget_ms) => process.ask({ name, budget_ms }) }]
  })

const runCase = async (name: string, peers: Peers) => {
  const one = cases[name]!
  const { count, exported, kernel, params, targets, unit } = one
  const wasm = await createWasmBackend(
    bytes,
    (shared) => startKernelWorkers(shared, workersFor(availableParallelism())),
  )
  const call = judgementOf(kernel, params, uniform(1))
  const single = name === "fft" ? judgementOf(kernel, { batch: 1, size }, uniform(1)) : call
  const began = performance.now()
  agree("wasm", await judge(wasm, kernel, call))
  const firstCallMs = performance.now() - began
  const gpuJs = kernel.gpujs === null ? null : await openGpuJs("webasm")
  const contenders = [
    computing(exported, kernel, single, count),
    await calling("wasm, whole calls", wasm, kernel, call, count),
    ...gpuJs === null ? [] : [await calling("gpu.js webasm", gpuJs, kernel, call, count)],
    await calling("typed arrays", typedArraysBackend, kernel, call, count),
    ...name === "fft" ? [fftJs(call)] : [],
    ...peerContenders(peers, one),
  ]
  console.error(`${name}: measuring ${contenders.map(({ name }) => name).join("; ")}`)
  const { cpuMs, wallMs } = await interleave(contenders, { rounds, budgetMs })
  wasm.close()
  gpuJs?.close()
  const spreads = (times: ReadonlyMap<string, ReadonlyArray<number>>) =>
    Object.fromEntries([...times].map(([side, ms]) => [side, roundedSpread(spreadOf(ms.map((value) => value * 1000)))]))
  const speeds = Object.fromEntries(
    Object.entries(targets).map(([peer, target]) => [
      peer,
      cpuMs.has(peer) ? { target, wasm: roundedSpread(speedOver(cpuMs, "wasm", peer)) } : { target, wasm: "not run" },
    ]),
  )
  return { unit, firstCallMs: rounded(firstCallMs), speedOver: speeds, cpuUs: spreads(cpuMs), wallUs: spreads(wallMs) }
}

const peers = await startPeers()
const results: Record<string, Awaited<ReturnType<typeof runCase>>> = {}
try {
  for (const name of chosen) results[name] = await runCase(name, peers)
} finally {
  for (const peer of Object.values(peers)) if (typeof peer !== "string") peer.stop()
}
for (const { cpuUs, firstCallMs, speedOver, unit, wallUs } of Object.values(results)) {
  console.log(`\n${unit}; first call ${firstCallMs} ms`)
  console.table(Object.fromEntries(
    Object.entries(cpuUs).map(([name, { max, median, min }]) => [name, {
      "CPU us": median,
      from: min,
      to: max,
      "wall us": wallUs[name]!.median,
      "wasm is faster by": rounded(median / cpuUs["wasm"]!.median),
      target: speedOver[name]?.target ?? "",
    }]),
  ))
}
const helloOf = (peer: PythonPeer | string) => typeof peer === "string" ? peer : (peer.hello as Hello).versions
const versions = { python: helloOf(peers.python), avx2: helloOf(peers.avx2) }
if (chosen.length === all.length) writeResults("kernels", { machine, peers: versions, rounds, budgetMs, results })
