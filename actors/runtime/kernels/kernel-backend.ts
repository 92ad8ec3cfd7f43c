/**
 * The interface of a backend: a driver that runs kernels on a device.
 *
 * Boundary: a kernel is data (`core/kernels/kernel.ts`); a backend runs it and contains no physics.
 */
import type { Kernel, KernelStep, Params } from "../../../core/kernels/kernel.ts"
import type { BackendName } from "../../../protocols/ports/kernel-report.ts"

/** Runs kernels. A call rejects with `BackendLost` when the backend cannot continue; the caller then uses another backend. */
export interface KernelBackend {
  readonly name: BackendName
  /** The device, for the operator: the adapter's name, or the instruction set. */
  readonly device: string
  /** Whether the backend can run this kernel at this size. */
  readonly has: <P extends Params>(kernel: Kernel<P>, params: P) => boolean
  /** Computes into `output`; the arrays may be reused as soon as the promise settles. */
  readonly run: <P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ) => Promise<void>
  /**
   * Computes a small call synchronously. Returns true when the output is complete and false for a call that needs `run`. Throws
   * the errors with which `run` rejects. A backend that never computes in the calling thread omits it.
   *
   * @param fixed positions of the inputs whose values never change, which the backend may keep
   */
  readonly runNow?: <P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
    fixed?: ReadonlyArray<number>,
  ) => boolean
  /**
   * Computes calls that it has, in order, in one round trip to the device; as `run` else. A backend without round trips omits it.
   */
  readonly runStep?: (step: KernelStep) => Promise<void>
  readonly close: () => void
}

/** The backend and its buffers are gone (a lost device, a dead worker). The inputs of the call are unchanged. */
export class BackendLost extends Error {
  override readonly name = "BackendLost"
}
