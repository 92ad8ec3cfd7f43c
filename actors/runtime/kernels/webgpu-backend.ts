/**
 * Kernels on WebGPU.
 *
 * Owns the pipelines and the course of a call: write the inputs, run, copy the result out, in one submission. Boundary: the device is
 * an argument; the program is the kernel's WGSL. On Deno every call takes 10 ms beside the device's own time and blocks the thread
 * (`mapAsync` polls), so only large calls are worth it there.
 *
 * Invariants:
 * 1. When the device is lost, every call ends with `BackendLost`, even if a promise of the driver never settles.
 * 2. An error of the device is never returned as a result.
 */
/// <reference types="@webgpu/types" />
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { BufferPool } from "./webgpu-buffers.ts"

// The value of the specification (GPUMapMode.READ): a runtime without WebGPU does not have the global.
const mapForReading = 0x1

/** Buffers of one call. */
interface Buffers {
  readonly params: GPUBuffer
  readonly inputs: ReadonlyArray<GPUBuffer>
  readonly result: GPUBuffer
  readonly readback: GPUBuffer
}

class WebGpuBackend implements KernelBackend {
  readonly name = "webgpu"
  readonly device: string
  readonly #gpu: GPUDevice
  readonly #pool: BufferPool
  readonly #pipelines = new Map<Kernel, GPUComputePipeline>()
  /** Rejects when the device is lost. */
  readonly #loss: Promise<never>
  #lost: BackendLost | null = null

  constructor(gpu: GPUDevice, name: string) {
    this.device = name
    this.#gpu = gpu
    this.#pool = new BufferPool(gpu)
    this.#loss = gpu.lost.then(({ message, reason }): never => {
      this.#lost = new BackendLost(`The WebGPU device ${name} is lost (${reason}): ${message}`)
      throw this.#lost
    })
    this.#loss.catch(() => undefined)
  }

  readonly has: KernelBackend["has"] = (kernel, params) => {
    const { maxBufferSize, maxComputeWorkgroupsPerDimension, maxStorageBufferBindingSize } = this.#gpu.limits
    const bytesMax = Math.min(maxStorageBufferBindingSize, maxBufferSize / 2)
    return [...kernel.inputs(params), kernel.output(params)].every((values) => 4 * values <= bytesMax) &&
      kernel.wgsl.workgroups(params).every((count) => count <= maxComputeWorkgroupsPerDimension)
  }

  readonly run: KernelBackend["run"] = async (kernel, params, inputs, output) => {
    checkCall(kernel, params, inputs, output)
    if (this.#lost !== null) throw this.#lost
    try {
      const bytes = output.byteLength
      this.#gpu.pushErrorScope("out-of-memory")
      this.#gpu.pushErrorScope("validation")
      const buffers = this.#takeBuffers(kernel, inputs, bytes)
      this.#submit(kernel, params, buffers, inputs, bytes)
      await this.#settled(kernel, buffers.readback.mapAsync(mapForReading, 0, bytes))
      output.set(new Float32Array(buffers.readback.getMappedRange(0, bytes)))
      buffers.readback.unmap()
      this.#giveBuffers(buffers)
    } catch (cause) {
      // After any failure the results of this device are unreliable. Its buffers are not reused.
      throw this.#lost ??= new BackendLost(`The WebGPU device ${this.device} failed: ${cause}`)
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

  #takeBuffers(kernel: Kernel, inputs: ReadonlyArray<Float32Array>, bytes: number): Buffers {
    return {
      params: this.#pool.take("params", 4 * kernel.params.length),
      inputs: inputs.map((input) => this.#pool.take("storage", input.byteLength)),
      result: this.#pool.take("storage", bytes),
      readback: this.#pool.take("readback", bytes),
    }
  }

  #giveBuffers({ inputs, params, readback, result }: Buffers): void {
    this.#pool.give("params", params)
    for (const buffer of inputs) this.#pool.give("storage", buffer)
    this.#pool.give("storage", result)
    this.#pool.give("readback", readback)
  }

  #submit(
    kernel: Kernel,
    params: Params,
    buffers: Buffers,
    inputs: ReadonlyArray<Float32Array>,
    bytes: number,
  ): void {
    const gpu = this.#gpu
    const pipeline = this.#pipelineOf(kernel)
    const values = Uint32Array.from(kernel.params, (param) => params[param]!)
    gpu.queue.writeBuffer(buffers.params, 0, values)
    for (const [i, input] of inputs.entries()) {
      gpu.queue.writeBuffer(buffers.inputs[i]!, 0, input as Float32Array<ArrayBuffer>)
    }
    const bindings = [
      { buffer: buffers.params, size: values.byteLength },
      ...buffers.inputs.map((buffer, i) => ({ buffer, size: inputs[i]!.byteLength })),
      { buffer: buffers.result, size: bytes },
    ]
    const group = gpu.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bindings.map((resource, binding) => ({ binding, resource })),
    })
    const encoder = gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, group)
    pass.dispatchWorkgroups(...kernel.wgsl.workgroups(params))
    pass.end()
    encoder.copyBufferToBuffer(buffers.result, 0, buffers.readback, 0, bytes)
    gpu.queue.submit([encoder.finish()])
  }

  /** Waits for the result. Rejects with the device's message when a part of the call failed, also while the mapping never settles. */
  async #settled(kernel: Kernel, mapped: Promise<void>): Promise<void> {
    const scopes = Promise.all([this.#gpu.popErrorScope(), this.#gpu.popErrorScope()])
    const [[invalid, exhausted]] = await Promise.race([Promise.all([scopes, mapped]), this.#loss])
    const error = invalid ?? exhausted
    if (error !== null) throw new Error(`${kernel.name}: ${error.message}`)
  }
}

/**
 * A backend on a device; closing it destroys the device.
 *
 * @param name of the adapter, for the operator
 */
export const createWebGpuBackend = (device: GPUDevice, name: string): KernelBackend => new WebGpuBackend(device, name)
