/**
 * The kernels of this node: one service that runs them on the chosen backend, and on the next one when that backend is lost.
 *
 * A call whose backend is lost runs again on the next one; the log, health, metrics and diagnostics show it. Boundary: `kernel-sources.ts` opens
 * backends, `kernel-choice.ts` chooses at start, `gpu-replacement.ts` compares later, `backend-recovery.ts` opens lost ones again,
 * `active-backends.ts` holds the result.
 *
 * Invariants:
 * 1. A backend runs a call only after each of its kernels has agreed with the reference.
 * 2. The backend of a call depends on the call and on the choice, never on the load. The choice changes when a backend is lost or returns, and
 *    at most once for a GPU that a comparison in the background shows to be far faster.
 * 3. An accepted call ends with a result; at most `callsMax` run at a time.
 */
import { Context, Duration, Effect, Layer, Queue, type Scope, Semaphore } from "effect"
import type { Computation, KernelCall, KernelStep, Params, PlacedCall } from "../../../core/kernels/kernel.ts"
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import { type ActiveBackends, backendFor, closeBackends, dropBackend, logChoice, type Loss } from "./active-backends.ts"
import { recoverBackends } from "./backend-recovery.ts"
import { damageOf, isFinite } from "./finite-results.ts"
import { replaceByGpu } from "./gpu-replacement.ts"
import { BackendLost } from "./kernel-backend.ts"
import { chooseBackends, type KernelChoice, makeTrials } from "./kernel-choice.ts"
import type { BackendSource } from "./kernel-sources.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"

export class Kernels extends Context.Service<Kernels, {
  /** Computes a call into `output`. The caller may reuse the arrays when it ends. A call that the kernel does not accept is a defect. */
  readonly run: <P extends Params>(call: KernelCall<P>, output: Float32Array) => Effect.Effect<void>
  /** Runs a computation and its kernel calls, one after the other; without a GPU where `gpu` is false. */
  readonly compute: <A>(computation: Computation<A>, options?: { readonly gpu: boolean }) => Effect.Effect<A>
  /** The backend that runs new calls, and the reason. */
  readonly report: Effect.Effect<KernelReport>
}>()("wavepose/actors/Kernels") {
  static readonly layer = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): Layer.Layer<Kernels> =>
    Layer.effect(Kernels, makeKernels(choice, sources))
}

const callsMax = 8
/** Losses that wait for their recovery; a choice has fewer backends. */
const lossesMax = 8
/** A backend that does not end a call within this time counts as lost. */
const answerS = 10
const hung = new BackendLost(`it did not end a call within ${answerS} s`)

/** Computes a small call synchronously, which costs less than waiting. Returns false for other calls, and if the backend is lost or damaged. */
const runNow = (active: ActiveBackends, call: PlacedCall, gpu: boolean): boolean => {
  try {
    const { fixed, inputs, kernel, output, params } = call
    return backendFor(active, call, gpu).runNow?.(kernel, params, inputs, output, fixed) === true && isFinite(output)
  } catch (cause) {
    if (cause instanceof BackendLost) return false
    throw cause
  }
}

/** Runs the first of the calls, and those after it that its backend takes with it; again on the next backend when one is lost. */
const runFirst = (active: ActiveBackends, calls: KernelStep, gpu: boolean): Effect.Effect<number> =>
  Effect.suspend(() => {
    const [first] = calls
    if (first === undefined) return Effect.succeed(0)
    const backend = backendFor(active, first, gpu)
    const other = calls.findIndex((call) => backendFor(active, call, gpu) !== backend)
    const count = backend.runStep === undefined ? 1 : other < 0 ? calls.length : other
    const run = async (): Promise<void> => {
      const step = calls.slice(0, count)
      await (backend.runStep?.(step) ?? backend.run(first.kernel, first.params, first.inputs, first.output))
      const damage = backend === typedArraysBackend ? null : await damageOf(step)
      if (damage !== null) throw damage
    }
    return Effect.tryPromise({ try: run, catch: (cause) => cause }).pipe(
      Effect.as(count),
      Effect.timeoutOrElse({ duration: Duration.seconds(answerS), orElse: () => Effect.fail(hung) }),
      Effect.catch((cause) =>
        cause instanceof BackendLost
          ? Effect.andThen(dropBackend(active, backend, cause), runFirst(active, calls, gpu))
          : Effect.die(cause)
      ),
    )
  })

const makeKernels = Effect.fnUntraced(function* (
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
): Effect.fn.Return<Kernels["Service"], never, Scope.Scope> {
  const trials = makeTrials()
  const losses = yield* Queue.sliding<Loss>(lossesMax)
  const active: ActiveBackends = { ...yield* chooseBackends(choice, sources, trials), losses }
  yield* Effect.addFinalizer(() => Effect.sync(() => closeBackends(active)))
  yield* logChoice(active)
  if (choice !== "auto" && choice !== active.report.backend) {
    yield* Effect.logWarning("WAVEPOSE_KERNELS names a backend that this machine does not have", { backend: choice })
  }
  yield* Effect.forkScoped(replaceByGpu(active, choice, sources, trials))
  yield* Effect.forkScoped(recoverBackends(active, sources, trials))

  const bounded = Semaphore.makeUnsafe(callsMax).withPermits(1)
  const admitted = (calls: KernelStep, gpu: boolean): Effect.Effect<number> =>
    Effect.uninterruptible(bounded(runFirst(active, calls, gpu)))

  return {
    report: Effect.sync(() => active.report),
    run: (call, output) => Effect.asVoid(admitted([{ ...call, output }], true)),
    compute: Effect.fnUntraced(function* (computation, { gpu } = { gpu: true }) {
      let step = computation.next()
      while (step.done !== true) {
        let calls = step.value
        while (calls.length > 0) {
          calls = calls.slice(runNow(active, calls[0]!, gpu) ? 1 : yield* admitted(calls, gpu))
        }
        step = computation.next()
      }
      return step.value
    }),
  }
})
