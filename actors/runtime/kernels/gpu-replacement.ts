/**
 * The replacement of WebAssembly by a GPU, some time after the start.
 *
 * A GPU is compared with the processor in the background and replaces it if it is far faster. The log and the report show both results.
 */
import { Effect } from "effect"
import { type ActiveBackends, gpuBackends, logChoice, logKept, promote, reportSkipped } from "./active-backends.ts"
import { assertOwnDevice, type KernelChoice, openTested, type Trial } from "./kernel-choice.ts"
import { compare, ratioMax } from "./kernel-comparison.ts"
import type { BackendSource } from "./kernel-sources.ts"

/** Delay of the comparison after the start. */
const comparisonDelay = "2 minutes"

/** Compares one GPU with the first backend, and makes it the first where it is far faster. */
const compareGpu = Effect.fnUntraced(function* (
  active: ActiveBackends,
  source: BackendSource,
  trials: ReadonlyArray<Trial>,
) {
  const incumbent = active.backends[0]!
  yield* assertOwnDevice(source)
  const challenger = yield* openTested(source, trials)
  const ratio = yield* compare(incumbent, challenger, trials).pipe(
    Effect.onError(() => Effect.sync(challenger.close)),
  )
  const measured = `it takes ${ratio.toFixed(2)} of the time of ${incumbent.name}`
  if (ratio > ratioMax || !active.backends.includes(incumbent)) {
    challenger.close()
    reportSkipped(active, challenger.name, `${measured}; at most ${ratioMax} changes the choice`)
    return yield* logKept(active)
  }
  promote(active, challenger, measured)
  yield* logChoice(active)
})

/** Compares the GPUs of this machine after a delay, where the choice is automatic and WebAssembly was chosen. */
export const replaceByGpu = (
  active: ActiveBackends,
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
  trials: ReadonlyArray<Trial>,
): Effect.Effect<void> => {
  if (choice !== "auto" || active.report.backend !== "wasm") return Effect.void
  const gpus = sources.filter(({ name, spare }) => gpuBackends.has(name) && spare !== true)
  const compareOne = (source: BackendSource) =>
    Effect.catch(compareGpu(active, source, trials), ({ message }) => {
      reportSkipped(active, source.name, message)
      return Effect.logDebug("kernels backend not compared", { backend: source.name, cause: message })
    })
  return Effect.delay(Effect.forEach(gpus, compareOne, { discard: true }), comparisonDelay)
}
