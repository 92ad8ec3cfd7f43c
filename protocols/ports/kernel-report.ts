/**
 * Which backend runs the kernels of this node, and why: for diagnostics.
 */
import { Context, type Effect } from "effect"
import type { BackendName } from "../../core/kernels/kernel.ts"

export interface KernelReport {
  readonly backend: BackendName
  /** The adapter's name, or the instruction set. */
  readonly device: string
  /** Why this backend runs the kernels. */
  readonly reason: string
  /** Backends that were tried and not taken, or were lost. */
  readonly skipped: ReadonlyArray<{ readonly backend: BackendName; readonly reason: string }>
}

export class KernelReports extends Context.Service<KernelReports, {
  /** Null on a node that runs no kernels. */
  readonly current: Effect.Effect<KernelReport | null>
}>()("wavepose/protocols/KernelReports") {}
