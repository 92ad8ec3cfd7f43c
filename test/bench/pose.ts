/**
 * The pose network's forward pass on the processors, beside ONNX Runtime on the same network.
 *
 *     npm run bench:pose -- [MODEL.onnx]
 *
 * ONNX Runtime is no dependency, since its binaries for all platforms are 290 MB: `npm install --no-save onnxruntime-node@1.30.0`
 * brings it. The model is made of the service's weights by `python sim/training/export.py deploy/models/wavepose.safetensors MODEL.onnx`; without
 * it ONNX Runtime is not run, and nothing is written. Before anything is measured, every contender must agree with the float64
 * reference within 1e-4. "wasm" and "typed arrays" are the network on a backend, whole calls; "service" is what an Environment actor
 * waits for: gathering of requests and the choice of the backend as well. ONNX Runtime has one thread, as calls of this size have in
 * the service, and is handed tensors that were made before. Not measured: the first call. Writes `results/pose.json`.
 */
import { Effect, Layer } from "effect"
import { availableParallelism } from "node:os"
import { loadKernelModule } from "../../actors/runtime/kernels/kernel-module.ts"
import { backendSources } from "../../actors/runtime/kernels/kernel-sources.ts"
import { startKernelWorkers, workersFor } from "../../actors/runtime/kernels/kernel-workers.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import { computeOn } from "../../actors/runtime/kernels/compute-on.ts"
import type { KernelBackend } from "../../actors/runtime/kernels/kernel-backend.ts"
import { typedArraysBackend } from "../../actors/runtime/kernels/typed-arrays-backend.ts"
import { createWasmBackend } from "../../actors/runtime/kernels/wasm-backend.ts"
import { tokenSize } from "../../core/pose/link-token.ts"
import { forward, memorySize, type PoseInputs, type PoseOutputs, trackSize } from "../../core/pose/network.ts"
import { readPoseNetwork } from "../../deploy/composition/pose-models.ts"
import { randomPoseInputs } from "../harness/pose-inputs.ts"
import { compute } from "../harness/compute.ts"
import { inProcess, interleave, machine, rounded, roundedSpread, speedOver, spreadOf, writeResults } from "./harness.ts"

const rounds = 7
const budgetMs = 200
const errorMax = 1e-4
const tokensEach = 30
const batches = [1, 4, 12]
/** How many times as fast as ONNX Runtime the service is to be. */
const target = 0.95
const peer = "onnxruntime-node"

const modelFile = process.argv[2]
const network = readPoseNetwork("wavepose")
if (network === null) throw new Error("deploy/models has no weights: there is nothing to measure")

const inputsOf = (persons: number): PoseInputs => randomPoseInputs(persons, tokensEach)

/** A side of the comparison: runs the network once. */
interface Side {
  readonly name: string
  readonly of: (inputs: PoseInputs) => () => Promise<PoseOutputs>
}

const sideOf = (name: string, backend: KernelBackend): Side => ({
  name,
  of: (inputs) => () => computeOn(backend, forward(network, inputs)),
})

/** What is used of ONNX Runtime. */
interface OnnxRuntime {
  readonly InferenceSession: {
    readonly create: (file: string, options: object) => Promise<{
      readonly run: (feeds: object) => Promise<Readonly<Record<string, { readonly data: unknown }>>>
    }>
  }
  readonly Tensor: new (type: "float32", values: Float32Array, shape: ReadonlyArray<number>) => object
  readonly env: { readonly versions: { readonly node?: string } }
}

/** ONNX Runtime with the model; its tensors are views of the inputs. */
const openPeer = async (file: string): Promise<Side & { readonly version: string }> => {
  const { InferenceSession, Tensor, env } = await import(peer) as OnnxRuntime
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  const floats = (values: Float32Array, ...shape: ReadonlyArray<number>) => new Tensor("float32", values, shape)
  return {
    name: peer,
    version: env.versions.node ?? "unknown",
    of: ({ mask, memory, persons, tokens, tracks }) => {
      const feeds = {
        tokens: floats(tokens, persons, tokensEach, tokenSize),
        mask: floats(mask, persons, tokensEach),
        tracks: floats(tracks, persons, trackSize),
        memory: floats(memory, persons, memorySize),
      }
      return async () => {
        const { next_memory: next, values } = await session.run(feeds)
        return { values: values!.data as Float32Array, memory: next!.data as Float32Array }
      }
    },
  }
}

const worst = (a: Float32Array, b: Float32Array): number =>
  a.length === b.length ? a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0) : Infinity

/** Largest error of each side's outputs; throws where it is too large. */
const errorsOf = async (sides: ReadonlyArray<Side>, inputs: PoseInputs) => {
  const expected = compute(forward(network, inputs))
  const errors: Record<string, number> = {}
  for (const { name, of } of sides) {
    const { memory, values } = await of(inputs)()
    const error = Math.max(worst(values, expected.values), worst(memory, expected.memory))
    if (!(error <= errorMax)) throw new Error(`${name} is wrong for ${inputs.persons} persons: error ${error}`)
    errors[name] = Number(error.toPrecision(2))
  }
  return errors
}

const runBatch = async (sides: ReadonlyArray<Side>, persons: number) => {
  const inputs = inputsOf(persons)
  const errors = await errorsOf(sides, inputs)
  const contenders = sides.map(({ name, of }) => inProcess(name, of(inputs)))
  const { cpuMs, wallMs } = await interleave(contenders, { rounds, budgetMs })
  const us = (times: ReadonlyMap<string, ReadonlyArray<number>>) =>
    Object.fromEntries([...times].map(([side, ms]) => [side, roundedSpread(spreadOf(ms.map((value) => value * 1000)))]))
  const speedOverPeer = onnx === null
    ? "not run"
    : Object.fromEntries(["wasm", "service"].map((side) => [side, roundedSpread(speedOver(cpuMs, side, peer))]))
  return { persons, errors, speedOverPeer, cpuUs: us(cpuMs), wallUs: us(wallMs) }
}

const { bytes } = await loadKernelModule()
const startThreads: Parameters<typeof createWasmBackend>[1] = (program) =>
  startKernelWorkers(program, workersFor(availableParallelism()))
const wasm = await createWasmBackend(bytes, startThreads)

const onnx = modelFile === undefined ? null : await openPeer(modelFile)

const measure = Effect.gen(function* () {
  const infer = yield* (yield* PoseInference).join
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const sides: ReadonlyArray<Side> = [
    sideOf("wasm", wasm),
    { name: "service", of: (inputs) => () => run(infer(network, inputs)).then((outputs) => outputs!) },
    sideOf("typed arrays", typedArraysBackend),
    ...onnx === null ? [] : [onnx],
  ]
  return yield* Effect.forEach(batches, (persons) => Effect.promise(() => runBatch(sides, persons)))
})
const inference = PoseInference.layer.pipe(Layer.provide(Kernels.layer("wasm", backendSources)))
const results = await Effect.scoped(measure).pipe(Effect.provide(inference), Effect.runPromise)
wasm.close()

for (const { cpuUs, persons, wallUs } of results) {
  console.log(`\n${persons} x ${tokensEach} tokens`)
  console.table(Object.fromEntries(
    Object.entries(cpuUs).map(([name, { max, median, min }]) => [name, {
      "CPU us": median,
      from: min,
      to: max,
      "wall us": wallUs[name]!.median,
      [`times as fast as ${peer}`]: cpuUs[peer] === undefined ? "not run" : rounded(cpuUs[peer].median / median),
    }]),
  ))
}
if (onnx === null) {
  console.log(`${peer} was not run, and nothing is written: name a model that sim/training/export.py made`)
} else {
  const { modelVersion } = network
  const by = { name: peer, version: onnx.version, threads: 1 }
  writeResults("pose", { machine, peer: by, modelVersion, rounds, budgetMs, target, results })
}
