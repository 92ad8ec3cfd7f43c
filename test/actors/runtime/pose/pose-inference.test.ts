/** Requests of several environments in one pass of the network. */
import { Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Kernels } from "../../../../actors/runtime/kernels/kernels.ts"
import { type Infer, PoseInference } from "../../../../actors/runtime/pose/pose-inference.ts"
import { typedArraysBackend } from "../../../../actors/runtime/kernels/typed-arrays-backend.ts"
import type { KernelBackend } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import { tokenSize } from "../../../../core/pose/link-token.ts"
import { forward, memorySize, type PoseInputs, type PoseNetwork, trackSize } from "../../../../core/pose/network.ts"
import { createRandom } from "../../../../sim/randomness/random.ts"
import { randomNetwork } from "../../../core/pose/random-network.ts"
import { compute } from "../../../harness/compute.ts"

const network = randomNetwork(3)
const other = randomNetwork(4)

const inputsOf = (persons: number, seed: number): PoseInputs => {
  const random = createRandom(seed, "inputs")
  const normals = (length: number) => Float32Array.from({ length }, () => random.normal())
  return {
    persons,
    tokensEach: 3,
    tokens: normals(persons * 3 * tokenSize),
    mask: new Float32Array(persons * 3).fill(1),
    tracks: normals(persons * trackSize),
    memory: normals(persons * memorySize),
  }
}

/** Runs concurrent requests of as many environments, each by its network; returns the outputs and the persons of each pass. */
const inferAll = (requests: ReadonlyArray<PoseInputs>, networkOf: (i: number) => PoseNetwork = () => network) => {
  const passes: Array<number> = []
  const counting: KernelBackend = {
    ...typedArraysBackend,
    name: "wasm",
    run: async (kernel, params, inputs, output) => {
      if (kernel.name === "attention-pool") passes.push(params["batch"]!)
      await typedArraysBackend.run(kernel, params, inputs, output)
    },
  }
  const kernels = Kernels.layer("wasm", [{ name: "wasm", open: () => Promise.resolve(counting) }])
  return Effect.gen(function* () {
    const inference = yield* PoseInference
    passes.length = 0
    const each = yield* Effect.forEach(requests, () => inference.join)
    const outputs = yield* Effect.forEach(requests, (inputs, i) => each[i]!(networkOf(i), inputs), {
      concurrency: "unbounded",
    })
    return { outputs, passes }
  }).pipe(Effect.scoped, Effect.provide(PoseInference.layer.pipe(Layer.provide(kernels))), Effect.runPromise)
}

describe("pose inference", () => {
  it("answers each request as if it were alone, and waiting requests in one pass", async () => {
    const requests = [inputsOf(1, 1), inputsOf(2, 2), inputsOf(1, 3), inputsOf(4, 4)]
    const { outputs, passes } = await inferAll(requests)
    for (const [i, request] of requests.entries()) {
      const alone = compute(forward(network, request))
      for (const [j, value] of alone.values.entries()) expect(outputs[i]!.values[j]).toBeCloseTo(value, 4)
      expect(outputs[i]!.memory).toHaveLength(request.persons * memorySize)
    }
    expect(passes.reduce((sum, persons) => sum + persons, 0)).toBe(8)
    expect(passes.length).toBeLessThan(requests.length)
  })

  it("uses the network of each request, one network per pass", async () => {
    const requests = [inputsOf(1, 1), inputsOf(2, 2), inputsOf(4, 3), inputsOf(8, 4), inputsOf(16, 5)]
    const networkOf = (i: number) => i % 2 === 0 ? network : other
    const { outputs, passes } = await inferAll(requests, networkOf)
    for (const [i, request] of requests.entries()) {
      const alone = compute(forward(networkOf(i), request))
      for (const [j, value] of alone.values.entries()) expect(outputs[i]!.values[j]).toBeCloseTo(value, 4)
    }
    // The first pass starts before the other requests; then follow the waiting requests of its network, and those of the other.
    expect(passes.reduce((sum, persons) => sum + persons, 0)).toBe(31)
    expect(passes).toContain(2 + 8)
    expect(passes.length).toBeLessThan(requests.length)
  })

  it("answers with the defect of a pass that breaks, and answers later requests", async () => {
    const broken = {} as PoseNetwork
    const kernels = Kernels.layer("typed-arrays", [])
    const exits = await Effect.gen(function* () {
      const inference = yield* PoseInference
      const [first, second] = [yield* inference.join, yield* inference.join]
      const together = yield* Effect.all(
        [Effect.exit(first(broken, inputsOf(1, 1))), Effect.exit(second(broken, inputsOf(2, 2)))],
        { concurrency: "unbounded" },
      )
      return [...together, yield* Effect.exit(second(network, inputsOf(2, 3)))]
    }).pipe(Effect.scoped, Effect.provide(PoseInference.layer.pipe(Layer.provide(kernels))), Effect.runPromise)
    expect(exits.map(({ _tag }) => _tag)).toEqual(["Failure", "Failure", "Success"])
  })

  it("limits the persons of a pass", async () => {
    const { passes } = await inferAll(Array.from({ length: 5 }, (_, i) => inputsOf(30, i)))
    expect(Math.max(...passes)).toBeLessThanOrEqual(64)
    expect(passes.reduce((sum, persons) => sum + persons, 0)).toBe(150)
  })
})

describe("an environment that is alone on its node", () => {
  /** Whether a request is answered without a turn of the event loop, with this number of environments. */
  const isAnsweredAtOnce = (environments: number) => {
    const atOnce: KernelBackend = {
      ...typedArraysBackend,
      name: "wasm",
      runNow: (kernel, params, inputs, output) => {
        kernel.reference(params, inputs, output)
        return true
      },
    }
    const kernels = Kernels.layer("wasm", [{ name: "wasm", open: () => Promise.resolve(atOnce) }])
    return Effect.gen(function* () {
      const { join } = yield* PoseInference
      const [infer] = yield* Effect.all(Array.from({ length: environments }, () => join))
      const request = yield* Effect.forkChild(infer!(network, inputsOf(2, 1)), { startImmediately: true })
      const atOnce = request.pollUnsafe() !== undefined
      expect((yield* Fiber.join(request))?.values).toEqual(compute(forward(network, inputsOf(2, 1))).values)
      return atOnce
    }).pipe(Effect.scoped, Effect.provide(PoseInference.layer.pipe(Layer.provide(kernels))), Effect.runPromise)
  }

  it("does not wait for others if kernels answer at once; one of several does", async () => {
    expect(await isAnsweredAtOnce(1)).toBe(true)
    expect(await isAnsweredAtOnce(2)).toBe(false)
  })
})

describe("the settings of passes", () => {
  /** A network on a stand-in for a GPU, which computes when its gate is opened; `ran` has the persons of its passes. */
  const withGate = <A>(
    use: (
      inference: Pick<PoseInference["Service"], "configure"> & { readonly infer: Infer },
      gpu: { open: () => void; ran: Array<number> },
    ) => Effect.Effect<A>,
  ) => {
    const ran: Array<number> = []
    let open = () => {}
    const gate = new Promise<void>((resolve) => open = resolve)
    let inUse = false
    const backend: KernelBackend = {
      ...typedArraysBackend,
      name: "webgpu",
      run: async (kernel, params, inputs, output) => {
        if (inUse && kernel.name === "attention-pool") ran.push(params["batch"]!)
        if (inUse) await gate
        await typedArraysBackend.run(kernel, params, inputs, output)
      },
    }
    const kernels = Kernels.layer("webgpu", [{ name: "webgpu", open: () => Promise.resolve(backend) }])
    return Effect.gen(function* () {
      const { configure, join } = yield* PoseInference
      const infer = yield* join
      yield* join
      inUse = true
      return yield* use({ configure, infer }, { open, ran })
    }).pipe(Effect.scoped, Effect.provide(PoseInference.layer.pipe(Layer.provide(kernels))), Effect.runPromise)
  }

  it("are the batch size, which splits no request, and the use of a GPU", () =>
    withGate((inference, { open, ran }) =>
      Effect.gen(function* () {
        inference.configure({ batchSize: 3, enableGpu: true, inferenceTimeoutS: 60 })
        open()
        const requests = [inputsOf(2, 1), inputsOf(1, 2), inputsOf(2, 3), inputsOf(5, 4)]
        yield* Effect.forEach(requests, (inputs) => inference.infer(network, inputs), { concurrency: "unbounded" })
        expect(ran).toEqual([3, 2, 5])
        inference.configure({ batchSize: 64, enableGpu: false, inferenceTimeoutS: 60 })
        expect((yield* inference.infer(network, inputsOf(1, 1)))?.values.length).toBeGreaterThan(0)
        expect(ran).toEqual([3, 2, 5])
      })
    ))

  it("include a time limit of answers; later requests are answered again", () =>
    withGate((inference, { open }) =>
      Effect.gen(function* () {
        inference.configure({ batchSize: 64, enableGpu: true, inferenceTimeoutS: 0.01 })
        const late = yield* Effect.all([
          inference.infer(network, inputsOf(1, 1)),
          inference.infer(other, inputsOf(1, 2)),
        ], { concurrency: "unbounded" })
        expect(late).toEqual([null, null])
        inference.configure({ batchSize: 64, enableGpu: true, inferenceTimeoutS: 60 })
        open()
        expect((yield* inference.infer(network, inputsOf(1, 3)))?.values.length).toBeGreaterThan(0)
      })
    ))
})
