/**
 * The names of kernel backends, and the report of the one that this node uses, for diagnostics.
 */
import { Context, type Effect } from "effect"

/** Where kernels run, from the most to the least capable. */
export const backendNames = ["webgpu", "gpujs", "wasm", "typed-arrays"] as const
export type BackendName = typeof backendNames[number]

export interface KernelReport {
  readonly backend: BackendName
  /** The adapter's name, or the instruction set. */
  readonly device: string
  /** Why this backend runs the kernels. */
  readonly reason: string
  /** Backends that were tried and rejected, or that were lost. */
  readonly skipped: ReadonlyArray<{ readonly backend: BackendName; readonly reason: string }>
  /** Backends that were lost since the start. */
  readonly lost: number
}

/** The backend of last resort, which is used when the others were rejected or lost. */
export const isLastResort = ({ backend, skipped }: KernelReport): boolean =>
  backend === "typed-arrays" && skipped.length > 0

export class KernelReports extends Context.Service<KernelReports, {
  /** Null on a node that runs no kernels. */
  readonly current: Effect.Effect<KernelReport | null>
}>()("wavepose/protocols/KernelReports") {}
