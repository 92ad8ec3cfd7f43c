/**
 * The kernels of this node: one service that runs them on the chosen backend, and on the next one when that is lost.
 *
 * Owns what happens to a call whose backend is lost: it runs again elsewhere, and only the log and diagnostics show it. Boundary: backends are
 * `core/kernels`, their sources `kernel-sources.ts`, the choice at start `kernel-choice.ts`.
 *
 * Invariants:
 * 1. A backend runs nothing before each of its kernels has agreed with the reference.
 * 2. Which backend runs a call depends on the call and on what was chosen, never on the load. The choice changes when a backend is lost, and
 *    at most once for a GPU that a comparison in the background shows to be far faster.
 * 3. A call that was taken ends with a result; at most `callsMax` run at one time.
 */
import { Context, Effect, Layer, type Scope, Semaphore } from "effect"
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import type { BackendName } from "../../../protocols/ports/kernel-report.ts"
import type { Computation, KernelCall, Params } from "../../../core/kernels/kernel.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import { assertOwnDevice, chooseBackends, type KernelChoice, makeTrials, openTested } from "./kernel-choice.ts"
import { compare, ratioMax } from "./kernel-comparison.ts"
import type { BackendSource } from "./kernel-sources.ts"

export type { KernelChoice }

export class Kernels extends Context.Service<Kernels, {
  /** Computes a call into `output`; the arrays are the caller's again when it ends. A call that the kernel does not take is a defect. */
  readonly run: <P extends Params>(call: KernelCall<P>, output: Float32Array) => Effect.Effect<void>
  /** Runs a computation, its kernels one after the other as it asks for them; without a GPU where `gpu` is false. */
  readonly compute: <A>(computation: Computation<A>, options?: { readonly gpu: boolean }) => Effect.Effect<A>
  /** Which backend runs the calls of now. */
  readonly report: Effect.Effect<KernelReport>
}>()("wavepose/actors/Kernels") {
  static readonly layer = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): Layer.Layer<Kernels> =>
    Layer.effect(Kernels, makeKernels(choice, sources))
}

const callsMax = 8
/** Backends that compute on a GPU. */
const gpuBackends: ReadonlySet<BackendName> = new Set(["webgpu", "gpujs"])
/** A backend that does not end a call within this time counts as lost. */
const answerTimeout = "10 seconds"
const hung = new BackendLost(`it did not end a call within ${answerTimeout}`)
/** A GPU is compared with the processor only once the start is long over. */
const comparisonDelay = "2 minutes"

const skippedText = ({ skipped }: KernelReport): string =>
  skipped.map(({ backend, reason }) => `${backend}: ${reason}`).join("; ")

const logChoice = (report: KernelReport): Effect.Effect<void> =>
  Effect.logInfo("kernels backend chosen", {
    backend: report.backend,
    device: report.device,
    reason: report.reason,
    ...(report.skipped.length === 0 ? {} : { skipped: skippedText(report) }),
  })

const makeKernels = Effect.fnUntraced(function* (
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
): Effect.fn.Return<Kernels["Service"], never, Scope.Scope> {
  const trials = makeTrials()
  const chosen = yield* chooseBackends(choice, sources, trials)
  let { backends, report } = chosen
  yield* Effect.addFinalizer(() => Effect.sync(() => backends.forEach((backend) => backend.close())))
  yield* choice === "auto" || choice === report.backend ? logChoice(report) : Effect.andThen(
    logChoice(report),
    Effect.logWarning("WAVEPOSE_KERNELS names a backend that this machine does not have", { backend: choice }),
  )
  const bounded = Semaphore.makeUnsafe(callsMax).withPermits(1)

  const drop = (lost: KernelBackend, cause: BackendLost) =>
    Effect.suspend(() => {
      if (!backends.includes(lost)) return Effect.void
      backends = backends.filter((backend) => backend !== lost)
      lost.close()
      const { device, name } = backends[0]!
      report = {
        backend: name,
        device,
        reason: `${lost.name} was lost`,
        skipped: [...report.skipped, { backend: lost.name, reason: cause.message }],
      }
      return Effect.logError("kernels backend lost", { lost: lost.name, cause: cause.message, backend: name })
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

  /** Compares a GPU with the processor in the background; takes it where it is far faster, and logs either result. */
  const challenge = Effect.fnUntraced(function* (source: BackendSource) {
    const incumbent = backends[0]!
    yield* assertOwnDevice(source)
    const challenger = yield* openTested(source, trials)
    const ratio = yield* compare(incumbent, challenger, trials).pipe(
      Effect.onError(() => Effect.sync(challenger.close)),
    )
    const measured = `it takes ${ratio.toFixed(2)} of the time of ${incumbent.name}`
    if (ratio > ratioMax || !backends.includes(incumbent)) {
      challenger.close()
      const reason = `${measured}; at most ${ratioMax} changes the choice`
      report = { ...report, skipped: [...report.skipped, { backend: challenger.name, reason }] }
      return yield* Effect.logInfo("kernels backend kept", { backend: report.backend, skipped: skippedText(report) })
    }
    backends = [challenger, ...backends]
    report = { ...report, backend: challenger.name, device: challenger.device, reason: measured }
    yield* logChoice(report)
  })
  const challengers = choice === "auto" && report.backend === "wasm"
    ? sources.filter(({ name, spare }) => gpuBackends.has(name) && spare !== true)
    : []
  const skip = ({ name }: BackendSource, reason: string) => {
    report = { ...report, skipped: [...report.skipped, { backend: name, reason }] }
  }
  yield* Effect.forEach(
    challengers,
    (source) =>
      Effect.catch(challenge(source), ({ message }) => {
        skip(source, message)
        return Effect.logDebug("kernels backend not compared", { backend: source.name, cause: message })
      }),
    { discard: true },
  ).pipe(
    Effect.delay(comparisonDelay),
    Effect.forkScoped,
  )

  return {
    report: Effect.sync(() => report),
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
