/**
 * Kernels on WebGPU.
 *
 * Owns the pipelines and the order of work in a step of calls: write the inputs, run, copy the results, in one submission. Boundary: the
 * device is an argument; the program is the kernel's WGSL. On Deno's own WebGPU every step takes 10 ms beside the device's time and
 * blocks the thread (`mapAsync` polls); on Dawn it does neither.
 *
 * Invariants:
 * 1. When the device is lost, every call ends with `BackendLost`, even if a promise of the driver never settles.
 * 2. An error of the device is never returned as a result.
 */
/// <reference types="@webgpu/types" />
import { checkCall, type Kernel, type KernelStep, type PlacedCall } from "../../../core/kernels/kernel.ts"
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { makeLoss } from "./loss.ts"
import { BufferPool } from "./webgpu-buffers.ts"

// The value of the specification (GPUMapMode.READ): a runtime without WebGPU does not have the global.
const mapForReading = 0x1

/** Buffers of a step. Intermediate results stay on the device for the calls that follow. */
interface StepBuffers {
  readonly params: ReadonlyArray<GPUBuffer>
  /** By the array that a call reads or writes. */
  readonly arrays: ReadonlyMap<Float32Array, GPUBuffer>
  readonly readback: GPUBuffer
}

/** Alignment of the results in the readback buffer. */
const readbackAlignment = 8

/** Where each result begins in the readback buffer, and its size, in bytes. */
const readbackOf = (step: KernelStep): { readonly offsets: ReadonlyArray<number>; readonly bytes: number } => {
  let bytes = 0
  const offsets = step.map(({ output }) => {
    const offset = bytes
    bytes += Math.ceil(output.byteLength / readbackAlignment) * readbackAlignment
    return offset
  })
  return { offsets, bytes }
}

class WebGpuBackend implements KernelBackend {
  readonly name = "webgpu"
  readonly device: string
  readonly #gpu: GPUDevice
  readonly #pool: BufferPool
  readonly #pipelines = new Map<Kernel, GPUComputePipeline>()
  /** Buffers of inputs that never change. They live as long as the arrays. */
  readonly #fixed = new WeakMap<Float32Array, GPUBuffer>()
  readonly #loss = makeLoss()

  constructor(gpu: GPUDevice, name: string) {
    this.device = name
    this.#gpu = gpu
    this.#pool = new BufferPool(gpu)
    void gpu.lost.then(({ message, reason }) =>
      this.#loss.lose(new BackendLost(`The WebGPU device ${name} is lost (${reason}): ${message}`))
    )
  }

  readonly has: KernelBackend["has"] = (kernel, params) => {
    const { maxBufferSize, maxComputeWorkgroupsPerDimension, maxStorageBufferBindingSize } = this.#gpu.limits
    const bytesMax = Math.min(maxStorageBufferBindingSize, maxBufferSize / 2)
    return [...kernel.inputs(params), kernel.output(params)].every((values) => 4 * values <= bytesMax) &&
      kernel.wgsl.workgroups(params).every((count) => count <= maxComputeWorkgroupsPerDimension)
  }

  readonly run: KernelBackend["run"] = (kernel, params, inputs, output) =>
    this.runStep([{ kernel, params, inputs, output } as unknown as PlacedCall])

  readonly runStep = async (step: KernelStep): Promise<void> => {
    for (const { inputs, kernel, output, params } of step) checkCall(kernel, params, inputs, output)
    const lost = this.#loss.cause()
    if (lost !== null) throw lost
    try {
      this.#gpu.pushErrorScope("out-of-memory")
      this.#gpu.pushErrorScope("validation")
      const { bytes, offsets } = readbackOf(step)
      const buffers = this.#takeBuffers(step, bytes)
      this.#submit(step, buffers, offsets)
      await this.#settled(step, buffers.readback.mapAsync(mapForReading, 0, bytes))
      const results = buffers.readback.getMappedRange(0, bytes)
      for (const [i, { output }] of step.entries()) output.set(new Float32Array(results, offsets[i], output.length))
      buffers.readback.unmap()
      this.#giveBuffers(buffers)
    } catch (cause) {
      // After any failure the results of this device are unreliable. Its buffers are not reused.
      this.#loss.lose(new BackendLost(`The WebGPU device ${this.device} failed: ${cause}`))
      throw this.#loss.cause()
    }
  }

  readonly close = (): void => this.#gpu.destroy()

  #pipelineOf(kernel: Kernel): GPUComputePipeline {
    const known = this.#pipelines.get(kernel)
    if (known !== undefined) return known
    const module = this.#gpu.createShaderModule({ label: kernel.name, code: kernel.wgsl.code })
    const pipeline = this.#gpu.createComputePipeline({
      label: kernel.name,
      layout: "auto",
      compute: { module, entryPoint: "main" },
    })
    this.#pipelines.set(kernel, pipeline)
    return pipeline
  }

  /** Takes the buffers of a step and writes its parameters and inputs. */
  #takeBuffers(step: KernelStep, bytes: number): StepBuffers {
    const outputs = new Set(step.map(({ output }) => output))
    const arrays = new Map<Float32Array, GPUBuffer>()
    const params = step.map(({ kernel, params }) => {
      const buffer = this.#pool.take("params", 4 * kernel.params.length)
      this.#gpu.queue.writeBuffer(buffer, 0, Uint32Array.from(kernel.params, (param) => params[param]!))
      return buffer
    })
    for (const { fixed = [], inputs, output } of step) {
      for (const [i, input] of inputs.entries()) {
        if (arrays.has(input) || this.#fixed.has(input)) continue
        const isFixed = fixed.includes(i)
        const buffer = isFixed
          ? this.#pool.make("storage", input.byteLength)
          : this.#pool.take("storage", input.byteLength)
        if (isFixed) this.#fixed.set(input, buffer)
        else arrays.set(input, buffer)
        if (!outputs.has(input)) this.#gpu.queue.writeBuffer(buffer, 0, input as Float32Array<ArrayBuffer>)
      }
      if (!arrays.has(output)) arrays.set(output, this.#pool.take("storage", output.byteLength))
    }
    return { params, arrays, readback: this.#pool.take("readback", bytes) }
  }

  #giveBuffers({ arrays, params, readback }: StepBuffers): void {
    for (const buffer of params) this.#pool.give("params", buffer)
    for (const buffer of arrays.values()) this.#pool.give("storage", buffer)
    this.#pool.give("readback", readback)
  }

  #submit(step: KernelStep, { arrays, params, readback }: StepBuffers, offsets: ReadonlyArray<number>): void {
    const encoder = this.#gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    for (const [i, { inputs, kernel, output, params: sizes }] of step.entries()) {
      const pipeline = this.#pipelineOf(kernel)
      const bindings = [
        { buffer: params[i]!, size: 4 * kernel.params.length },
        ...[...inputs, output].map((array) => ({
          buffer: arrays.get(array) ?? this.#fixed.get(array)!,
          size: array.byteLength,
        })),
      ]
      const group = this.#gpu.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: bindings.map((resource, binding) => ({ binding, resource })),
      })
      pass.setPipeline(pipeline)
      pass.setBindGroup(0, group)
      pass.dispatchWorkgroups(...kernel.wgsl.workgroups(sizes))
    }
    pass.end()
    for (const [i, { output }] of step.entries()) {
      encoder.copyBufferToBuffer(arrays.get(output)!, 0, readback, offsets[i]!, output.byteLength)
    }
    this.#gpu.queue.submit([encoder.finish()])
  }

  /** Waits for the results. Rejects with the device's message when a part of the step failed, also while the mapping never settles. */
  async #settled(step: KernelStep, mapped: Promise<void>): Promise<void> {
    const scopes = Promise.all([this.#gpu.popErrorScope(), this.#gpu.popErrorScope()])
    const [[invalid, exhausted]] = await this.#loss.orLost(Promise.all([scopes, mapped]))
    const error = invalid ?? exhausted
    if (error !== null) throw new Error(`${step.map(({ kernel }) => kernel.name).join(", ")}: ${error.message}`)
  }
}

/**
 * A backend on a device; closing it destroys the device.
 *
 * @param name of the adapter, for the operator
 */
export const createWebGpuBackend = (device: GPUDevice, name: string): KernelBackend => new WebGpuBackend(device, name)
