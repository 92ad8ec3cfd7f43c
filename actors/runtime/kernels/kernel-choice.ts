/**
 * The choice of a backend at start: the first one, in a fixed order, that passes its self-test.
 *
 * Owns the order, the self-test and its time limits. A self-test checks results only. Its duration depends on the load of a starting machine
 * more than on the backend, so it does not affect the choice. Boundary: `kernel-sources.ts` opens backends; `kernels.ts` runs calls.
 */
import { Data, Effect, Exit } from "effect"
import { judge, type Judgement, judgementOf } from "./backend-selftest.ts"
import type { BackendName } from "../../../protocols/ports/kernel-report.ts"
import type { Kernel } from "../../../core/kernels/kernel.ts"
import type { KernelBackend } from "./kernel-backend.ts"
import { kernels } from "../../../core/kernels/kernels.ts"
import { uniform } from "../../../core/kernels/samples.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"
import type { KernelReport } from "../../../protocols/ports/kernel-report.ts"
import type { BackendSource } from "./kernel-sources.ts"

/** A backend by name, or the first of `preference` that passes. */
export type KernelChoice = BackendName | "auto"

/**
 * Order in which `auto` tries the backends. WebAssembly is first, because a call of a small site takes less time on the processor than the
 * round trip to a GPU. The typed arrays need no test and block the event loop, so they are last.
 */
export const preference: ReadonlyArray<BackendName> = ["wasm", "webgpu", "gpujs", "typed-arrays"]

/** Time to open a backend, including its compilation, and time for each kernel's test. They are long because a starting machine is busy. */
const openTimeout = "60 seconds"
const testTimeout = "30 seconds"
/** Seed of the random inputs, which are the same on every machine. */
const testSeed = 1

/** The reason for which a backend is rejected. */
class Unfit extends Data.TaggedError("Unfit")<{ readonly message: string }> {}

/** A call of each kernel with its expected result. */
export interface Trial {
  readonly kernel: Kernel
  readonly judgement: Judgement
}

export const makeTrials = (): ReadonlyArray<Trial> =>
  kernels.map((kernel) => ({ kernel, judgement: judgementOf(kernel, kernel.trial, uniform(testSeed)) }))

/** The result of a promise of a backend, within a time limit. */
const answered = <A>(what: string, duration: typeof openTimeout | typeof testTimeout, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new Unfit({ message: `${what} failed: ${cause}` }) }).pipe(
    Effect.timeoutOrElse({
      duration,
      orElse: () => Effect.fail(new Unfit({ message: `${what} took more than ${duration}` })),
    }),
  )

const selfTest = Effect.fnUntraced(function* (backend: KernelBackend, trials: ReadonlyArray<Trial>) {
  for (const { judgement, kernel } of trials) {
    if (!backend.has(kernel, kernel.trial)) continue
    const error = yield* answered(kernel.name, testTimeout, () => judge(backend, kernel, judgement))
    if (!(error <= kernel.nrmseMax)) {
      return yield* new Unfit({
        message: `${kernel.name} is wrong: its error is ${error}, the maximum ${kernel.nrmseMax}`,
      })
    }
  }
})

/** Opens and tests a backend; closes it when it does not agree with the references. */
export const openTested = ({ open }: BackendSource, trials: ReadonlyArray<Trial>) =>
  Effect.acquireUseRelease(
    Effect.flatMap(
      answered("opening the backend", openTimeout, open),
      (backend) => backend === null ? new Unfit({ message: "this machine does not have it" }) : Effect.succeed(backend),
    ),
    (backend) => Effect.as(selfTest(backend, trials), backend),
    (backend, exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(backend.close),
  )

/** Fails for a device that is emulated by software. */
export const assertOwnDevice = Effect.fnUntraced(function* ({ emulator }: BackendSource) {
  if (emulator === undefined) return
  const emulated = yield* answered("requesting the device", openTimeout, emulator)
  if (emulated !== null) return yield* new Unfit({ message: `software emulation (${emulated})` })
})

/** The sources to try for a choice, in order. WebAssembly follows a named one. */
const candidatesFor = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): ReadonlyArray<BackendSource> => {
  if (choice === "typed-arrays") return []
  const order = choice === "auto" ? preference : [choice, ...(choice === "wasm" ? [] : ["wasm" as const])]
  return order.flatMap((name) => sources.filter((source) => source.name === name))
}

/** The result of a choice. */
interface Chosen {
  /** Best first; the typed arrays are last. */
  readonly backends: ReadonlyArray<KernelBackend>
  readonly report: KernelReport
}

const reasonFor = (choice: KernelChoice, backend: BackendName): string => {
  if (choice === "auto") return `first of ${preference.join(", ")} to pass its self-test`
  if (choice === backend) return "WAVEPOSE_KERNELS names it"
  return `WAVEPOSE_KERNELS names ${choice}, which this machine does not have`
}

/** Tries the backends of a choice. For `auto` it stops at the first that passes. */
export const chooseBackends = Effect.fnUntraced(function* (
  choice: KernelChoice,
  sources: ReadonlyArray<BackendSource>,
  trials: ReadonlyArray<Trial>,
): Effect.fn.Return<Chosen> {
  const passed: Array<KernelBackend> = []
  const skipped: Array<KernelReport["skipped"][number]> = []
  for (const source of candidatesFor(choice, sources)) {
    if (choice === "auto" && passed.length > 0) break
    const tried = choice === "auto"
      ? Effect.andThen(assertOwnDevice(source), openTested(source, trials))
      : openTested(source, trials)
    yield* Effect.match(tried, {
      onSuccess: (backend) => void passed.push(backend),
      onFailure: ({ message }) => void skipped.push({ backend: source.name, reason: message }),
    })
  }
  const backends = [...passed, typedArraysBackend]
  const { device, name } = backends[0]!
  return { backends, report: { backend: name, device, reason: reasonFor(choice, name), skipped, lost: 0 } }
})
