/**
 * The backends in use on this node, and the report of them.
 *
 * Owns the selection of a backend for a call, and the change of the backends when one is lost, returns or is replaced.
 */
import { Effect, Queue } from "effect"
import type { KernelCall, Params } from "../../../core/kernels/kernel.ts"
import type { BackendName, KernelReport } from "../../../protocols/ports/kernel-report.ts"
import type { BackendLost, KernelBackend } from "./kernel-backend.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"

/** A backend that was lost. */
export interface Loss {
  readonly name: BackendName
  /** Its position among the backends. */
  readonly at: number
}

export interface ActiveBackends {
  /** Best first; the typed arrays are last. */
  backends: ReadonlyArray<KernelBackend>
  report: KernelReport
  /** Losses of backends that have not returned. */
  readonly losses: Queue.Queue<Loss>
}

/** Backends that compute on a GPU. */
export const gpuBackends: ReadonlySet<BackendName> = new Set(["webgpu", "gpujs"])

/** The backend for a call. It depends on the call and on the active backends, never on the load. */
export const backendFor = <P extends Params>(
  { backends }: ActiveBackends,
  { kernel, params }: KernelCall<P>,
  gpu: boolean,
): KernelBackend =>
  backends.find((backend) => backend.has(kernel, params) && (gpu || !gpuBackends.has(backend.name))) ??
    typedArraysBackend

const skippedText = ({ skipped }: KernelReport): string =>
  skipped.map(({ backend, reason }) => `${backend}: ${reason}`).join("; ")

export const logChoice = ({ report }: ActiveBackends): Effect.Effect<void> =>
  Effect.logInfo("kernels backend chosen", {
    backend: report.backend,
    device: report.device,
    reason: report.reason,
    ...(report.skipped.length === 0 ? {} : { skipped: skippedText(report) }),
  })

export const logKept = ({ report }: ActiveBackends): Effect.Effect<void> =>
  Effect.logInfo("kernels backend kept", { backend: report.backend, skipped: skippedText(report) })

/** Adds a backend that is not used to the report. */
export const reportSkipped = (active: ActiveBackends, backend: BackendName, reason: string): void => {
  const { report } = active
  active.report = { ...report, skipped: [...report.skipped, { backend, reason }] }
}

/** Makes a backend the first one. */
export const promote = (active: ActiveBackends, backend: KernelBackend, reason: string): void => {
  active.backends = [backend, ...active.backends]
  active.report = { ...active.report, backend: backend.name, device: backend.device, reason }
}

/** Closes a lost backend and continues with the next one. */
export const dropBackend = (active: ActiveBackends, lost: KernelBackend, { message }: BackendLost) =>
  Effect.suspend(() => {
    const at = active.backends.indexOf(lost)
    if (at < 0) return Effect.void
    active.backends = active.backends.filter((backend) => backend !== lost)
    lost.close()
    const { device, name } = active.backends[0]!
    reportSkipped(active, lost.name, message)
    active.report = {
      ...active.report,
      backend: name,
      device,
      reason: `${lost.name} was lost`,
      lost: active.report.lost + 1,
    }
    return Effect.andThen(
      Queue.offer(active.losses, { name: lost.name, at }),
      Effect.logError("kernels backend lost", { lost: lost.name, cause: message, backend: name }),
    )
  })

/** Puts a backend in the place of a lost one. */
export const restore = (active: ActiveBackends, backend: KernelBackend, loss: Loss): void => {
  active.backends = active.backends.toSpliced(loss.at, 0, backend)
  const { device, name } = active.backends[0]!
  const how = backend.name === loss.name ? "and was opened again" : `and ${backend.name} replaces it`
  active.report = { ...active.report, backend: name, device, reason: `${loss.name} was lost ${how}` }
}

export const closeBackends = ({ backends }: ActiveBackends): void => backends.forEach((backend) => backend.close())
