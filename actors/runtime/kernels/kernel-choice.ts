/**
 * The choice of a backend at start: the first one, in a fixed order, that passes its self-test.
 *
 * Owns the order, the self-test and its time limits. A self-test judges results only. How long it takes says how busy the machine is, not how
 * fast the backend is, so no time decides. Boundary: backends come from `kernel-sources.ts`; what runs later is `kernels.ts`.
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
 * Order in which `auto` tries the backends. WebAssembly is first, because a call of a small site costs less on the processor than the round
 * trip to a GPU; the typed arrays need no test and hold up the event loop, so they are last.
 */
const preference: ReadonlyArray<BackendName> = ["wasm", "webgpu", "gpujs", "typed-arrays"]

/** Time to open a backend, its compilation included, and time for each kernel's test: long, because a machine is busy when it starts. */
const openTimeout = "60 seconds"
const testTimeout = "30 seconds"
/** A test is made of random numbers, the same ones on each machine. */
const testSeed = 1

/** Why a backend is not taken. */
class Unfit extends Data.TaggedError("Unfit")<{ readonly message: string }> {}

/** A call of each kernel with its expected result. */
export interface Trial {
  readonly kernel: Kernel
  readonly judgement: Judgement
}

export const makeTrials = (): ReadonlyArray<Trial> =>
  kernels.map((kernel) => ({ kernel, judgement: judgementOf(kernel, kernel.trial, uniform(testSeed)) }))

/** The result of a promise of a backend, within a time. */
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
    if (!(error <= kernel.nrmseMax)) return yield* new Unfit({ message: `${kernel.name} is wrong: error ${error}` })
  }
})

/** Opens a backend that agrees with the references; closes one that does not. */
export const openTested = ({ open }: BackendSource, trials: ReadonlyArray<Trial>) =>
  Effect.acquireUseRelease(
    Effect.flatMap(
      answered("opening it", openTimeout, open),
      (backend) => backend === null ? new Unfit({ message: "this machine has none" }) : Effect.succeed(backend),
    ),
    (backend) => Effect.as(selfTest(backend, trials), backend),
    (backend, exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(backend.close),
  )

/** Fails for a device that a processor only stands in for. */
export const assertOwnDevice = Effect.fnUntraced(function* ({ emulator }: BackendSource) {
  if (emulator === undefined) return
  const emulated = yield* answered("asking for the device", openTimeout, emulator)
  if (emulated !== null) return yield* new Unfit({ message: `software emulation (${emulated})` })
})

/** The sources to try for a choice, in order: a named one is followed by WebAssembly. */
const candidatesFor = (choice: KernelChoice, sources: ReadonlyArray<BackendSource>): ReadonlyArray<BackendSource> => {
  if (choice === "typed-arrays") return []
  const order = choice === "auto" ? preference : [choice, ...(choice === "wasm" ? [] : ["wasm" as const])]
  return order.flatMap((name) => sources.filter((source) => source.name === name))
}

/** What was chosen. */
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

/** Tries the backends of a choice. For `auto` the first that passes is the only one to be opened. */
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
  return { backends, report: { backend: name, device, reason: reasonFor(choice, name), skipped } }
})
