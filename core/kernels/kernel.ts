/**
 * The kernel: one computation of the CSI core as data, which several backends can run and one suite can test.
 *
 * Owns the shape of a kernel and of a call. Boundary: each kernel is in a file of its name beside this one; the backends that run
 * kernels are device drivers outside the core. Complex numbers are interleaved (re, im) float32 everywhere.
 *
 * Invariants:
 * 1. A kernel's result depends on its parameters and inputs alone.
 * 2. Backends agree with the reference within the kernel's tolerance (normalised rms error).
 */

/** Whole numbers that fix the shape of one call; each at least 1 unless the kernel says otherwise. */
export type Params = Readonly<Record<string, number>>

// Members are methods, so that a kernel with its own parameter type is assignable to `Kernel`.

/** A computation: its inputs, its output, and a program for each backend. */
export interface Kernel<P extends Params = Params> {
  /** The kernel's file, and the name of its WebAssembly export in camelCase. */
  readonly name: string
  /** Names of the parameters, in the order in which programs take them. */
  readonly params: ReadonlyArray<string>
  /**
   * Number of float32 values of each input. At most 6 inputs: a program has 8 storage buffers, one is the output. Throws a RangeError
   * for parameters that the kernel does not accept.
   */
  inputs(params: P): ReadonlyArray<number>
  /** Number of float32 values of the output. */
  output(params: P): number
  /** Computes the result in float64, in plain TypeScript. All backends are tested against it. */
  reference(params: P, inputs: ReadonlyArray<Float32Array>, output: Float32Array): void
  /** The computation as a WebGPU program. */
  readonly wgsl: WgslProgram<P>
  /**
   * The same as a gpu.js function, which computes one value of the output; null where output values share intermediate results. Indices
   * are floats there, and a GPU's quotients are not exact: it divides `i + 0.5` and does not use `%`.
   */
  readonly gpujs: string | null
  /** Largest normalised rms error of a float32 backend against the reference. */
  readonly nrmseMax: number
  /** Parameters of a call at a site of six routers. Self-tests and timings use them. */
  readonly trial: P
  /** Realistic inputs from uniform random numbers in [0, 1). */
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

/** A call of a kernel. */
export interface KernelCall<P extends Params = Params> {
  readonly kernel: Kernel<P>
  readonly params: P
  readonly inputs: ReadonlyArray<Float32Array>
  /** The inputs whose values never change, by position: a device keeps them. */
  readonly fixed?: ReadonlyArray<number>
}

/** A call with the array that receives its result. */
export interface PlacedCall<P extends Params = Params> extends KernelCall<P> {
  readonly output: Float32Array
}

/** Calls that are made together, in this order. An input may be the output of an earlier one, which a device then does not read back first. */
export type KernelStep = ReadonlyArray<PlacedCall>

/**
 * A computation that yields steps of kernel calls to its caller, which fills their outputs and resumes it. The calls depend only on the
 * inputs of the computation and on earlier outputs.
 */
export type Computation<A> = Generator<KernelStep, A, void>

/** A call with a new array for its result. */
export const placed = <P extends Params>(call: KernelCall<P>): PlacedCall<P> => ({
  ...call,
  output: new Float32Array(call.kernel.output(call.params)),
})

/** Throws a RangeError when the arrays of a call do not match its parameters. */
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
