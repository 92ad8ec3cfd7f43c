/**
 * The kernels of this node: one service that runs them on the best backend there is, and on the next one when that is gone.
 *
 * Owns the choice at start, and what happens to a call whose backend is lost: it runs again elsewhere, so nobody above notices but
 * by the log. Boundary: backends are `core/kernels`, where they come from is `kernel-sources.ts`.
 *
 * Invariants:
 * 1. A backend runs nothing before each of its kernels has agreed with the reference.
 * 2. Which backend runs a call depends on the call and on what was chosen, never on the load: results repeat.
 * 3. A call that was taken ends with a result; at most `callsMax` run at one time.
 */
import { Clock, Context, Data, Effect, Exit, Layer, type Scope, Semaphore } from "effect"
import { judge, type Judgement, judgementOf } from "../../core/kernels/judge.ts"
import {
  BackendLost,
  type BackendName,
  type Computation,
  type Kernel,
  type KernelBackend,
  type KernelCall,
  type Params,
} from "../../core/kernels/kernel.ts"
import { kernels } from "../../core/kernels/kernels.ts"
import { uniform } from "../../core/kernels/samples.ts"
import { typedArraysBackend } from "../../core/kernels/typed-arrays-backend.ts"
import type { BackendSource } from "./kernel-sources.ts"

/** A backend by name, or the fastest that there is. */
export type KernelChoice = BackendName | "auto"

export class Kernels extends Context.Service<Kernels, {
  /** Computes a call into `output`; the arrays are the caller's again when it ends. A call that the kernel does not take is a defect. */
  readonly run: <P extends Params>(call: KernelCall<P>, output: Float32Array) => Effect.Effect<void>
  /** Runs a computation, its kernels one after the other as it asks for them; without a GPU where `gpu` is false. */
  readonly compute: <A>(computation: Computation<A>, options?: { readonly gpu: boolean }) => Effect.Effect<A>
}>()("wavepose/actors/Kernels") {
  static readonly layer = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): Layer.Layer<Kernels> =>
    Layer.effect(Kernels, makeKernels(choice, sources))
}

const callsMax = 8
/** Backends that compute on a GPU. */
const gpuBackends: ReadonlySet<BackendName> = new Set(["webgpu", "gpujs"])
/** A backend that does not open, or does not end a call, within this time is taken for lost. */
const answerTimeout = "10 seconds"
const hung = new BackendLost(`it did not end a call within ${answerTimeout}`)
/** A test is made of random numbers, the same ones on each machine. */
const testSeed = 1
/** Timed runs of a test; the fastest counts. */
const timedRuns = 2

/** Why a backend is not taken. */
class Unfit extends Data.TaggedError("Unfit")<{ readonly message: string }> {}

interface Test {
  readonly kernel: Kernel
  readonly judgement: Judgement
  /** What the typed arrays need for it: what it costs a backend that lacks this kernel. */
  readonly typedArraysMs: number
}

/** A backend that passed, and how long it needs for one trial call of each kernel. */
interface Fit {
  readonly backend: KernelBackend
  readonly totalMs: number
}

/** What a backend that is tried out promises, or why it is unfit. */
const answered = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, Unfit> =>
  Effect.tryPromise({ try: run, catch: (cause) => new Unfit({ message: `${what} failed: ${cause}` }) }).pipe(
    Effect.timeoutOrElse({
      duration: answerTimeout,
      orElse: () => Effect.fail(new Unfit({ message: `${what} took more than ${answerTimeout}` })),
    }),
  )

/** Runs one test; answers the time of a run after the first. */
const tryOut = Effect.fnUntraced(
  function* (backend: KernelBackend, { judgement, kernel }: Omit<Test, "typedArraysMs">) {
    const attempt = <A>(run: () => Promise<A>) => answered(kernel.name, run)
    const error = yield* attempt(() => judge(backend, kernel, judgement))
    if (!(error <= kernel.nrmseMax)) return yield* new Unfit({ message: `${kernel.name} is wrong: error ${error}` })
    const output = new Float32Array(judgement.expected.length)
    let fastestMs = Infinity
    for (let run = 0; run < timedRuns; run++) {
      const startNs = yield* Clock.currentTimeNanos
      yield* attempt(() => backend.run(kernel, judgement.params, judgement.inputs, output))
      fastestMs = Math.min(fastestMs, Number((yield* Clock.currentTimeNanos) - startNs) / 1e6)
    }
    return fastestMs
  },
)

/** Tries all kernels of a backend; gives up once it needs more than `limitMs`. */
const examine = Effect.fnUntraced(function* (backend: KernelBackend, tests: ReadonlyArray<Test>, limitMs: number) {
  let totalMs = 0
  for (const test of tests) {
    totalMs += backend.has(test.kernel, test.kernel.trial) ? yield* tryOut(backend, test) : test.typedArraysMs
    if (totalMs > limitMs) {
      return yield* new Unfit({ message: `${backend.device} is slower than what was found before` })
    }
  }
  return { backend, totalMs } satisfies Fit
})

const open = ({ open }: BackendSource) =>
  answered("opening it", open).pipe(
    Effect.flatMap((backend) =>
      backend === null ? Effect.fail(new Unfit({ message: "this machine has none" })) : Effect.succeed(backend)
    ),
  )

/** Opens a backend and examines it; null, and a line in the log, when it is not taken. */
const admit = (source: BackendSource, tests: ReadonlyArray<Test>, limitMs: number) =>
  Effect.acquireUseRelease(
    open(source),
    (backend) => examine(backend, tests, limitMs),
    (backend, exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(backend.close),
  ).pipe(
    Effect.catch((unfit) => Effect.as(Effect.logInfo(`kernels do not run on ${source.name}: ${unfit.message}`), null)),
  )

/** Whether a processor only stands in for the source's device; says so in the log. */
const isEmulated = Effect.fnUntraced(function* ({ emulator, name }: BackendSource) {
  if (emulator === undefined) return false
  const emulated = yield* answered("asking for the device", emulator).pipe(Effect.orElseSucceed(() => null))
  if (emulated !== null) yield* Effect.logInfo(`kernels do not run on ${name}: ${emulated} is no device of its own`)
  return emulated !== null
})

const makeTests = Effect.fnUntraced(function* (): Effect.fn.Return<ReadonlyArray<Test>> {
  const tests: Array<Test> = []
  for (const kernel of kernels) {
    const test = { kernel, judgement: judgementOf(kernel, kernel.trial, uniform(testSeed)) }
    tests.push({ ...test, typedArraysMs: yield* Effect.orDie(tryOut(typedArraysBackend, test)) })
  }
  return tests
})

/** Which sources are opened for a choice, in this order: the one that was named, and WebAssembly to fall back on. */
const candidatesFor = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): ReadonlyArray<BackendSource> =>
  choice === "auto" ? sources : [
    ...sources.filter(({ name }) => name === choice),
    ...sources.filter(({ name }) => name === "wasm" && choice !== "wasm" && choice !== "typed-arrays"),
  ]

/** The backends to use, best first; the typed arrays are always among them. */
const rank = Effect.fnUntraced(function* (
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
): Effect.fn.Return<ReadonlyArray<Fit>> {
  const candidates = candidatesFor(choice, sources)
  const tests = candidates.length === 0 ? [] : yield* makeTests()
  const typedArraysMs = tests.reduce((sum, test) => sum + test.typedArraysMs, 0)
  let ranking: ReadonlyArray<Fit> = [{ backend: typedArraysBackend, totalMs: typedArraysMs }]
  for (const source of candidates) {
    if (choice === "auto" && ((source.spare === true && ranking.length > 1) || (yield* isEmulated(source)))) continue
    const fit = yield* admit(source, tests, choice === "auto" ? ranking[0]!.totalMs : Infinity)
    if (fit !== null) ranking = [...ranking, fit].sort((a, b) => a.totalMs - b.totalMs)
  }
  const named = ranking.filter(({ backend }) => backend.name === choice)
  return [...named, ...ranking.filter((fit) => !named.includes(fit))]
})

const makeKernels = Effect.fnUntraced(function* (
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
): Effect.fn.Return<Kernels["Service"], never, Scope.Scope> {
  const ranking = yield* rank(choice, sources)
  let backends: ReadonlyArray<KernelBackend> = ranking.map(({ backend }) => backend)
  yield* Effect.addFinalizer(() => Effect.sync(() => backends.forEach((backend) => backend.close())))
  const { backend: { device, name }, totalMs } = ranking[0]!
  yield* Effect.logInfo(`kernels run on ${name} (${device})`, { totalMs })
  if (choice !== "auto" && choice !== name) {
    yield* Effect.logWarning(
      `WAVEPOSE_KERNELS asks for ${choice}, which this machine cannot give; the line above says why`,
    )
  }
  const bounded = Semaphore.makeUnsafe(callsMax).withPermits(1)

  const drop = (lost: KernelBackend, cause: BackendLost) =>
    Effect.suspend(() => {
      if (!backends.includes(lost)) return Effect.void
      backends = backends.filter((backend) => backend !== lost)
      lost.close()
      return Effect.logError(`kernels go on without ${lost.name}: ${cause.message}`)
    })

  const backendOf = <P extends Params>({ kernel, params }: KernelCall<P>, gpu: boolean): KernelBackend =>
    backends.find((backend) => backend.has(kernel, params) && (gpu || !gpuBackends.has(backend.name))) ??
      typedArraysBackend

  /** Whether a small call was computed at once: waiting for one costs more than most of them. A backend that is lost is left to `run`. */
  const runNow = <P extends Params>(call: KernelCall<P>, output: Float32Array, gpu: boolean): boolean => {
    try {
      return backendOf(call, gpu).runNow?.(call.kernel, call.params, call.inputs, output) ?? false
    } catch (cause) {
      if (cause instanceof BackendLost) return false
      throw cause
    }
  }

  const run = <P extends Params>(call: KernelCall<P>, output: Float32Array, gpu: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { inputs, kernel, params } = call
      const backend = backendOf(call, gpu)
      return Effect.tryPromise({ try: () => backend.run(kernel, params, inputs, output), catch: (cause) => cause })
        .pipe(
          Effect.timeoutOrElse({ duration: answerTimeout, orElse: () => Effect.fail(hung) }),
          Effect.catch((cause) =>
            cause instanceof BackendLost
              ? Effect.andThen(drop(backend, cause), run(call, output, gpu))
              : Effect.die(cause)
          ),
        )
    })
  const admitted = <P extends Params>(call: KernelCall<P>, output: Float32Array, gpu: boolean): Effect.Effect<void> =>
    Effect.uninterruptible(bounded(run(call, output, gpu)))

  return {
    run: (call, output) => admitted(call, output, true),
    compute: Effect.fnUntraced(function* (computation, { gpu } = { gpu: true }) {
      let step = computation.next()
      while (step.done !== true) {
        const output = new Float32Array(step.value.kernel.output(step.value.params))
        if (!runNow(step.value, output, gpu)) yield* admitted(step.value, output, gpu)
        step = computation.next(output)
      }
      return step.value
    }),
  }
})
