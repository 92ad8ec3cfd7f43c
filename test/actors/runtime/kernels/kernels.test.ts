/** The service that runs kernels: its choice of a backend, and its calls when a backend is lost. */
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { adapterName, requestAdapter } from "../../../../actors/runtime/kernels/webgpu-adapter.ts"
import { type BackendSource, backendSources, openGpuJs } from "../../../../actors/runtime/kernels/kernel-sources.ts"
import type { KernelChoice } from "../../../../actors/runtime/kernels/kernel-choice.ts"
import { Kernels } from "../../../../actors/runtime/kernels/kernels.ts"
import { fft } from "../../../../core/kernels/fft.ts"
import { judgementOf, nrmse } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import { BackendLost, type KernelBackend } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import type { BackendName } from "../../../../protocols/ports/kernel-report.ts"
import { type Computation, placed } from "../../../../core/kernels/kernel.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { typedArraysBackend } from "../../../../actors/runtime/kernels/typed-arrays-backend.ts"
import { compilingMs } from "../../../harness/compiling.ts"

/** A backend that caches its results, and counts its calls. */
class Fake implements KernelBackend {
  readonly device = "fake"
  readonly name: BackendName
  readonly has = () => true
  readonly answers = new Map<string, Float32Array>()
  calls = 0
  closed = false
  behaviour: "right" | "wrong" | "slow" | "lost" | "hung" | "damaged" = "right"

  readonly work: () => void

  /** @param work called once per call, to advance the clock of a test */
  constructor(name: BackendName, behaviour: Fake["behaviour"] = "right", work = () => {}) {
    this.name = name
    this.behaviour = behaviour
    this.work = work
  }

  readonly run: KernelBackend["run"] = async (kernel, params, inputs, output) => {
    this.calls++
    this.work()
    if (this.behaviour === "lost") throw new BackendLost("gone")
    if (this.behaviour === "hung") return new Promise(() => {})
    const key = `${kernel.name} ${JSON.stringify(params)} ${inputs[0]![0]}`
    const known = this.answers.get(key)
    if (known !== undefined && this.behaviour !== "slow" && this.behaviour !== "damaged") return output.set(known)
    for (let i = 0; i < (this.behaviour === "slow" ? 6 : 1); i++) {
      await typedArraysBackend.run(kernel, params, inputs, output)
    }
    if (this.behaviour === "wrong") output[0]! += 100
    if (this.behaviour === "damaged") return void (output[output.length - 1] = Number.NaN)
    this.answers.set(key, output.slice())
  }
  readonly close = () => {
    this.closed = true
  }
}

const sourceOf = (backend: KernelBackend, spare = false): BackendSource => ({
  name: backend.name,
  open: () => Promise.resolve(backend),
  spare,
})

/** A clock that only the work of backends advances. Work takes up to three times as long, and sometimes a hundred times. */
class WorkClock implements Clock.Clock {
  readonly #random: () => number
  #nowNs = 0n

  constructor(seed: number) {
    this.#random = uniform(seed)
  }

  work(ms: number): void {
    const factor = (1 + 2 * this.#random()) * (this.#random() < 0.02 ? 100 : 1)
    this.#nowNs += BigInt(Math.round(ms * factor * 1e6))
  }

  readonly currentTimeMillisUnsafe = () => Number(this.#nowNs / 1_000_000n)
  readonly currentTimeMillis = Effect.sync(this.currentTimeMillisUnsafe)
  readonly currentTimeNanosUnsafe = () => this.#nowNs
  readonly currentTimeNanos = Effect.sync(this.currentTimeNanosUnsafe)
  readonly monotonicTimeNanosUnsafe = this.currentTimeNanosUnsafe
  readonly monotonicTimeNanos = this.currentTimeNanos
  // Long waits are time limits, which the work never reaches.
  readonly sleep = (duration: Duration.Duration) =>
    noLimits.has(Duration.toMillis(duration)) ? Effect.never : Effect.yieldNow
}

const noLimits: ReadonlySet<number> = new Set([10_000, 30_000, 60_000])

/** A clock on which each reading is up to ten seconds later than the last. */
const noisyClock = (seed: number): Clock.Clock => {
  const clock = new WorkClock(seed)
  const currentTimeNanosUnsafe = () => {
    clock.work(10_000)
    return clock.currentTimeNanosUnsafe()
  }
  return {
    ...clock,
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: currentTimeNanosUnsafe,
    monotonicTimeNanos: Effect.sync(currentTimeNanosUnsafe),
  }
}

const withKernels = <A, E>(
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
  program: (kernels: Kernels["Service"]) => Effect.Effect<A, E>,
  clock?: Clock.Clock,
): Promise<A> => {
  const run = Effect.flatMap(Kernels, program).pipe(Effect.provide(Kernels.layer(choice, sources)))
  return Effect.runPromise(clock === undefined ? run : Effect.provideService(run, Clock.Clock, clock))
}

const call = (seed = 1) => {
  const { expected, inputs, params } = judgementOf(fft, { batch: 4, size: 64 }, uniform(seed))
  return { expected, call: { kernel: fft, params, inputs } }
}

/** The error of one call's result. */
const errorOf = Effect.fnUntraced(function* (kernels: Kernels["Service"], seed = 1) {
  const { call: { inputs, kernel, params }, expected } = call(seed)
  const output = new Float32Array(expected.length)
  yield* kernels.run({ kernel, params, inputs }, output)
  return nrmse(output, expected)
})

/** Number of calls of each backend for one call of the service. */
const callsFor = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>, fakes: ReadonlyArray<Fake>) =>
  withKernels(choice, sources, (kernels) =>
    Effect.gen(function* () {
      const before = fakes.map(({ calls }) => calls)
      expect(yield* errorOf(kernels)).toBeLessThan(fft.nrmseMax)
      return fakes.map(({ calls }, i) => calls - before[i]!)
    }))

describe("the choice of a backend", () => {
  it("is WebAssembly if that agrees with the references, and opens no other", async () => {
    const gpu = new Fake("webgpu")
    const wasm = new Fake("wasm", "slow")
    expect(await callsFor("auto", [sourceOf(gpu), sourceOf(wasm)], [gpu, wasm])).toEqual([0, 1])
    expect(gpu.calls).toBe(0)
  })

  it("skips a backend that fails its self-test, and reports it", async () => {
    const wrong = new Fake("wasm", "wrong")
    const lost = new Fake("webgpu", "lost")
    const right = new Fake("gpujs")
    const report = await withKernels(
      "auto",
      [right, lost, wrong].map((fake) => sourceOf(fake)),
      (kernels) => Effect.andThen(errorOf(kernels), kernels.report),
    )
    expect(right.calls).toBeGreaterThan(0)
    expect([wrong.closed, lost.closed]).toEqual([true, true])
    expect(report).toMatchObject({
      backend: "gpujs",
      device: "fake",
      reason: expect.stringContaining("first of wasm, webgpu, gpujs, typed-arrays"),
      skipped: [
        { backend: "wasm", reason: expect.stringContaining("is wrong") },
        { backend: "webgpu", reason: expect.stringContaining("gone") },
      ],
    })
  })

  it("does not depend on any duration", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const report = await withKernels("auto", [sourceOf(new Fake("wasm"))], ({ report }) => report, noisyClock(seed))
      expect(report.backend).toBe("wasm")
    }
  })

  it("is the typed arrays if no other backend opens", async () => {
    const sources: ReadonlyArray<BackendSource> = [
      { name: "webgpu", open: () => Promise.resolve(null) },
      { name: "wasm", open: () => Promise.reject(new Error("no SIMD")) },
      sourceOf(new Fake("gpujs", "lost")),
    ]
    expect(await withKernels("auto", sources, (kernels) => errorOf(kernels))).toBeLessThan(fft.nrmseMax)
  })

  it("is the named one, even if it is slower; a missing one is replaced", async () => {
    const slow = new Fake("gpujs", "slow")
    const fast = new Fake("wasm")
    const sources = [sourceOf(fast), sourceOf(slow)]
    expect(await callsFor("gpujs", sources, [slow, fast])).toEqual([1, 0])
    expect(await callsFor("webgpu", sources, [slow, fast])).toEqual([0, 1])
    expect(await callsFor("typed-arrays", sources, [slow, fast])).toEqual([0, 0])
  })

  it("opens an emulated backend only when it is named", async () => {
    const emulated = new Fake("webgpu")
    const source: BackendSource = { ...sourceOf(emulated), emulator: () => Promise.resolve("llvmpipe") }
    await callsFor("auto", [source], [])
    expect(emulated.calls).toBe(0)
    expect(await callsFor("webgpu", [source], [emulated])).toEqual([1])
    const real = new Fake("webgpu")
    expect(await callsFor("auto", [{ ...sourceOf(real), emulator: () => Promise.resolve(null) }], [real])).toEqual([1])
  })

  it("names the adapter of this machine if a process of its own finds that it is emulated", async () => {
    const adapter = await requestAdapter()
    const webgpu = backendSources.find(({ name }) => name === "webgpu")!
    expect([null, adapter && adapterName(adapter)]).toContain(await webgpu.emulator!())
  }, 60_000)

  it("opens a spare backend only when the others did not pass", async () => {
    const spare = new Fake("gpujs")
    const fast = new Fake("wasm")
    await callsFor("auto", [sourceOf(fast), sourceOf(spare, true)], [])
    expect(spare.calls).toBe(0)
    expect(await callsFor("auto", [sourceOf(new Fake("wasm", "wrong")), sourceOf(spare, true)], [spare])).toEqual([1])
  })
})

/** The report after the comparison, which takes far fewer turns of the event loop than the limit. */
const afterComparison = Effect.fnUntraced(function* (kernels: Kernels["Service"]) {
  for (let turn = 0; turn < 20_000; turn++) {
    const report = yield* kernels.report
    if (report.backend === "webgpu" || report.skipped.length > 0) return report
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  }
  throw new Error("the comparison did not end")
})

describe("the comparison with a GPU", () => {
  const compared = (gpuMs: number, wasmMs: number, seed: number) => {
    const clock = new WorkClock(seed)
    const gpu = new Fake("webgpu", "right", () => clock.work(gpuMs))
    const wasm = new Fake("wasm", "right", () => clock.work(wasmMs))
    const sources = [sourceOf(gpu), sourceOf(wasm)]
    return withKernels("auto", sources, (kernels) =>
      Effect.gen(function* () {
        expect((yield* kernels.report).backend).toBe("wasm")
        const report = yield* afterComparison(kernels)
        yield* errorOf(kernels)
        return { report, gpu, wasm }
      }), clock)
  }

  it("changes nothing if the GPU is as fast, whatever single timings are", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { gpu, report } = await compared(1, 1, seed)
      expect(report).toMatchObject({ backend: "wasm", skipped: [{ backend: "webgpu" }] })
      expect(gpu.closed).toBe(true)
    }
  })

  it("changes to a GPU that is far faster in every series", async () => {
    const { gpu, report, wasm } = await compared(1, 10, 3)
    expect(report.backend).toBe("webgpu")
    expect(report.reason).toMatch(/^it takes 0\.\d+ of the time of wasm$/)
    expect(gpu.calls).toBeGreaterThan(wasm.calls)
  })

  it("ends when the GPU is lost during it", async () => {
    const clock = new WorkClock(1)
    const gpu: Fake = new Fake("webgpu", "right", () => {
      if (gpu.calls > 30) gpu.behaviour = "lost"
    })
    const sources = [sourceOf(gpu), sourceOf(new Fake("wasm"))]
    await withKernels("auto", sources, (kernels) =>
      Effect.gen(function* () {
        const report = yield* afterComparison(kernels)
        expect(report).toMatchObject({ backend: "wasm", skipped: [{ backend: "webgpu" }] })
        expect([gpu.behaviour, gpu.closed]).toEqual(["lost", true])
        expect(yield* errorOf(kernels)).toBeLessThan(fft.nrmseMax)
      }), clock)
  })
})

/** As `withKernels`, on a clock that only the test advances. */
const onTestClock = <A>(
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
  program: (kernels: Kernels["Service"]) => Effect.Effect<A>,
): Promise<A> =>
  Effect.flatMap(Kernels, program).pipe(
    Effect.provide(Kernels.layer(choice, sources)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )

/** Lets seconds pass, with a turn of the event loop each, until this backend is in use. */
const until = Effect.fnUntraced(function* (kernels: Kernels["Service"], name: BackendName) {
  for (let second = 0; second < 1_000; second++) {
    if ((yield* kernels.report).backend === name) return
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  }
  throw new Error(`${name} is not in use`)
})

describe("a lost backend", () => {
  it("loses no call: each runs again on the next backend, which gets all later calls", async () => {
    const first = new Fake("webgpu")
    const second = new Fake("wasm")
    await withKernels("webgpu", [first, second].map((fake) => sourceOf(fake)), (kernels) =>
      Effect.gen(function* () {
        expect(yield* errorOf(kernels)).toBeLessThan(fft.nrmseMax)
        first.behaviour = "lost"
        const errors = yield* Effect.forEach(Array.from({ length: 30 }, (_, i) => i), (i) => errorOf(kernels, i), {
          concurrency: "unbounded",
        })
        expect(Math.max(...errors)).toBeLessThan(fft.nrmseMax)
        expect(first.closed).toBe(true)
        expect(yield* kernels.report).toMatchObject({ backend: "wasm", reason: "webgpu was lost" })
        const { calls } = first
        yield* errorOf(kernels)
        expect(first.calls).toBe(calls)
        second.behaviour = "lost"
        expect(yield* errorOf(kernels, 99)).toBeLessThan(fft.nrmseMax)
      }))
  })

  it("includes a backend that does not end a call", async () => {
    const hung = new Fake("wasm")
    await withKernels("wasm", [sourceOf(hung)], (kernels) =>
      Effect.gen(function* () {
        hung.behaviour = "hung"
        const call = yield* Effect.forkChild(errorOf(kernels))
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(call)).toBeLessThan(fft.nrmseMax)
        expect(hung.closed).toBe(true)
        expect((yield* kernels.report).skipped).toContainEqual({
          backend: "wasm",
          reason: "it did not end a call within 10 s",
        })
      }).pipe(Effect.provide(TestClock.layer())))
  })

  it("includes one whose values are not finite; those that follow from the inputs are no fault", async () => {
    const wasm = new Fake("wasm")
    await withKernels("wasm", [sourceOf(wasm)], (kernels) =>
      Effect.gen(function* () {
        const { call: { inputs, kernel, params }, expected } = call()
        const foreign = inputs.map((values) => values.map(() => Number.POSITIVE_INFINITY))
        yield* kernels.run({ kernel, params, inputs: foreign }, new Float32Array(expected.length))
        expect(yield* kernels.report).toMatchObject({ backend: "wasm", lost: 0 })
        wasm.behaviour = "damaged"
        expect(yield* errorOf(kernels)).toBeLessThan(fft.nrmseMax)
        expect(yield* kernels.report).toMatchObject({
          backend: "typed-arrays",
          skipped: [{ backend: "wasm", reason: "fft gave values that are not finite" }],
          lost: 1,
        })
      }))
  })

  it("is opened again, at most five times", async () => {
    const opened: Array<Fake> = []
    const source: BackendSource = {
      name: "wasm",
      open: () => {
        const fake = new Fake("wasm")
        opened.push(fake)
        return Promise.resolve(fake)
      },
    }
    await onTestClock("wasm", [source], (kernels) =>
      Effect.gen(function* () {
        for (let losses = 1; losses <= 6; losses++) {
          opened.at(-1)!.behaviour = "lost"
          expect(yield* errorOf(kernels, losses)).toBeLessThan(fft.nrmseMax)
          expect(yield* kernels.report).toMatchObject({
            backend: "typed-arrays",
            reason: "wasm was lost",
            lost: losses,
          })
          if (losses > 5) continue
          yield* until(kernels, "wasm")
          expect((yield* kernels.report).reason).toBe("wasm was lost and was opened again")
        }
        yield* TestClock.adjust("1 hour")
        expect(opened.length).toBe(6)
      }))
  })

  it("is followed by another one while only the typed arrays are left", async () => {
    const wasm = new Fake("wasm")
    let isGone = false
    const lost: BackendSource = { name: "wasm", open: () => Promise.resolve(isGone ? null : wasm) }
    await onTestClock("auto", [lost, sourceOf(new Fake("webgpu"))], (kernels) =>
      Effect.gen(function* () {
        isGone = true
        wasm.behaviour = "lost"
        yield* errorOf(kernels)
        yield* until(kernels, "webgpu")
        expect((yield* kernels.report).reason).toBe("wasm was lost and webgpu replaces it")
      }))
  })

  it("can be the device of a GPU during its calls", async ({ skip }) => {
    const source = backendSources.find(({ name }) => name === "webgpu")!
    const backend = await source.open()
    if (backend === null) return skip("this machine has no adapter")
    // The first compilation on a software adapter takes minutes: only the called program is compiled.
    const called: KernelBackend = { ...backend, has: ({ name }) => name === fft.name }
    await withKernels(
      "webgpu",
      [{ ...source, open: () => Promise.resolve(called) }],
      (kernels) =>
        Effect.gen(function* () {
          const errors = yield* Effect.forEach(
            Array.from({ length: 40 }, (_, i) => i),
            (i) => i === 20 ? Effect.as(Effect.sync(backend.close), 0) : errorOf(kernels, i),
            { concurrency: 4 },
          )
          expect(errors).toHaveLength(40)
          expect(Math.max(...errors)).toBeLessThan(fft.nrmseMax)
        }),
    )
  }, compilingMs)
})

describe("a call", () => {
  it("with invalid parameters is a defect, and does not drop the backend", async () => {
    const fake = new Fake("wasm")
    await withKernels("wasm", [sourceOf(fake)], (kernels) =>
      Effect.gen(function* () {
        const { call: { inputs, kernel } } = call()
        const exit = yield* Effect.exit(
          kernels.run({ kernel, params: { batch: 4, size: 63 }, inputs }, new Float32Array(1)),
        )
        expect(Exit.hasDies(exit)).toBe(true)
        const before = fake.calls
        yield* errorOf(kernels)
        expect(fake.calls).toBe(before + 1)
      }))
  })

  it("of a step have all outputs before the computation continues", async () => {
    const twice = function* (): Computation<ReadonlyArray<Float32Array>> {
      const [first, second, third] = [placed(call(1).call), placed(call(2).call), placed(call(3).call)]
      yield [first!, second!]
      expect([first!.output, second!.output]).toEqual([call(1).expected, call(2).expected])
      yield [third!]
      return [first!, second!, third!].map(({ output }) => output)
    }
    const outputs = await withKernels("typed-arrays", [], (kernels) => kernels.compute(twice()))
    expect(outputs).toEqual([1, 2, 3].map((seed) => call(seed).expected))
  })
})

it("gpu.js without its package is rejected with the command that adds it", async () => {
  const absent = () => Promise.reject(new Error('Cannot find package "gpu.js"'))
  await expect(openGpuJs("webasm", absent)).rejects.toThrow(
    /^the package gpu\.js is not installed\. .* run `npm install .* gpu\.js@\d+\.\d+\.\d+` in the service's folder$/,
  )
})
