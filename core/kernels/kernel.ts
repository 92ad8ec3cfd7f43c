/**
 * The kernel: one computation of the CSI core as data, so that several backends can run it and one suite can judge them all.
 *
 * Owns the shape of a kernel and of a backend. Boundary: a kernel is in a file of its name beside this one; a backend knows no
 * physics, it runs what a kernel says. Complex numbers are interleaved (re, im) float32 everywhere.
 *
 * Invariants:
 * 1. A kernel's result depends on its parameters and inputs alone.
 * 2. Backends agree with the reference within the kernel's tolerance (normalised rms error).
 */

/** Whole numbers that fix the shape of one call; each at least 1 unless the kernel says otherwise. */
export type Params = Readonly<Record<string, number>>

// Members are methods, not functions, so that a kernel with parameters of its own is one of the kernels.

/** A computation: what goes in, what comes out, and the forms in which backends know it. */
export interface Kernel<P extends Params = Params> {
  /** The kernel's file, and the name of its WebAssembly export in camelCase. */
  readonly name: string
  /** Names of the parameters, in the order in which programs take them. */
  readonly params: ReadonlyArray<string>
  /**
   * float32 values of each input. At most 6 inputs: a program has 8 storage buffers, one is the output. Throws a RangeError that
   * says what is wrong with parameters that the kernel does not take.
   */
  inputs(params: P): ReadonlyArray<number>
  /** float32 values of the output. */
  output(params: P): number
  /** What the result is, in plain TypeScript; computes in float64 and is the judge of all backends. */
  reference(params: P, inputs: ReadonlyArray<Float32Array>, output: Float32Array): void
  /** The same as a WebGPU compute program. */
  readonly wgsl: WgslProgram<P>
  /** The same as a gpu.js function, which computes one value of the output; null where a value shares its work with others. */
  readonly gpujs: string | null
  /** Largest normalised rms error of a float32 backend against the reference. */
  readonly nrmseMax: number
  /** A call of the size that a site of six routers makes: what backends are timed with. */
  readonly trial: P
  /** Inputs of the kind that a call has, from uniform numbers in [0, 1). */
  sample(params: P, random: () => number): ReadonlyArray<Float32Array>
}

/**
 * A WebGPU program. Bindings of group 0: 0 the parameters as a uniform struct of u32 in the order of `params`, 1.. the inputs as
 * read-only storage, last the output as read-write storage. Entry point `main`.
 */
interface WgslProgram<P extends Params> {
  readonly code: string
  /** Workgroups to dispatch, each within WebGPU's limit of 65535. */
  workgroups(params: P): readonly [x: number, y: number, z: number]
}

/** Where kernels run, from the most to the least capable. */
export const backendNames = ["webgpu", "gpujs", "wasm", "typed-arrays"] as const
export type BackendName = typeof backendNames[number]

/** Runs kernels. A call that fails rejects with `BackendLost` when the backend cannot go on, and the caller takes another one. */
export interface KernelBackend {
  readonly name: BackendName
  /** What runs it, for the operator: the adapter's name, or the instruction set. */
  readonly device: string
  /** Whether it has this kernel for a call of this size. */
  readonly has: <P extends Params>(kernel: Kernel<P>, params: P) => boolean
  /** Computes into `output`; the arrays may be reused as soon as the promise settles. */
  readonly run: <P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ) => Promise<void>
  /**
   * The same here and now, where that is a small matter: true when it is done, false for a call that has to be `run`. Throws what `run`
   * rejects with. A backend that never computes in the caller's thread has none.
   */
  readonly runNow?: <P extends Params>(
    kernel: Kernel<P>,
    params: P,
    inputs: ReadonlyArray<Float32Array>,
    output: Float32Array,
  ) => boolean
  readonly close: () => void
}

/** The backend is gone (a lost device, a dead worker); its buffers with it. The inputs are untouched. */
export class BackendLost extends Error {
  override readonly name = "BackendLost"
}

/** A call that somebody else is to run: a computation yields it and is given the output. */
export interface KernelCall<P extends Params = Params> {
  readonly kernel: Kernel<P>
  readonly params: P
  readonly inputs: ReadonlyArray<Float32Array>
}

/** A computation that leaves its kernels to who runs it; what it yields depends on its inputs and the outputs alone. */
export type Computation<A> = Generator<KernelCall, A, Float32Array>

/** Throws a RangeError when a call's arrays are not what its parameters say. */
export const checkCall = <P extends Params>(
  kernel: Kernel<P>,
  params: P,
  inputs: ReadonlyArray<Float32Array>,
  output: Float32Array,
): void => {
  for (const name of kernel.params) {
    if (!Number.isInteger(params[name]) || params[name]! < 0) {
      throw new RangeError(`${kernel.name}: ${name} must be a whole number, not ${params[name]}`)
    }
  }
  const lengths = kernel.inputs(params)
  if (inputs.length !== lengths.length) {
    throw new RangeError(`${kernel.name} takes ${lengths.length} inputs, not ${inputs.length}`)
  }
  for (const [i, length] of lengths.entries()) {
    if (inputs[i]!.length !== length) {
      throw new RangeError(`${kernel.name}: input ${i} must have ${length} values, not ${inputs[i]!.length}`)
    }
  }
  if (output.length !== kernel.output(params)) {
    throw new RangeError(`${kernel.name}: the output must have ${kernel.output(params)} values, not ${output.length}`)
  }
}
