/**
 * Kernels on WebGPU, of any runtime that has it.
 *
 * Owns pipelines, device buffers and the way of one call: write the inputs, run, copy the result out, in one submission.
 * Boundary: who finds the device is outside; what runs is the kernel's WGSL. On Deno every call takes 10 ms beside the device's own
 * time, which the thread waits for (`mapAsync` polls): only large calls are worth it there.
 *
 * Invariants:
 * 1. At most `idleBytesMax` of device memory waits to be used again.
 * 2. A call ends when the device is lost, with `BackendLost`, whatever the driver does with its promises.
 * 3. An error of the device never looks like a result.
 */
/// <reference types="@webgpu/types" />
import { BackendLost, type KernelBackend } from "./kernel-backend.ts"
import { checkCall, type Kernel, type Params } from "../../../core/kernels/kernel.ts"

/** Device memory that is kept for later calls. */
const idleBytesMax = 256 * 1024 * 1024
/** Smallest class of buffers. */
const classBytesMin = 256

// Numbers of the specification (GPUBufferUsage, GPUMapMode), which no runtime without WebGPU has as globals.
const usage = { mapRead: 0x1, copySource: 0x4, copyDestination: 0x8, uniform: 0x40, storage: 0x80 } as const
const mapForReading = 0x1

const purposes = {
  params: usage.uniform | usage.copyDestination,
  storage: usage.storage | usage.copySource | usage.copyDestination,
  readback: usage.mapRead | usage.copyDestination,
} as const
type Purpose = keyof typeof purposes

/** Device buffers by purpose and size class (powers of two), used again and again. */
class BufferPool {
  readonly #device: GPUDevice
  readonly #idle = new Map<string, Array<GPUBuffer>>()
  #idleBytes = 0

  constructor(device: GPUDevice) {
    this.#device = device
  }

  /** A buffer of at least `bytes`; its content is left over. */
  take(purpose: Purpose, bytes: number): GPUBuffer {
    const size = Math.max(classBytesMin, 2 ** Math.ceil(Math.log2(bytes)))
    const known = this.#idle.get(`${purpose} ${size}`)?.pop()
    if (known === undefined) return this.#device.createBuffer({ size, usage: purposes[purpose] })
    this.#idleBytes -= size
    return known
  }

  give(purpose: Purpose, buffer: GPUBuffer): void {
    if (this.#idleBytes + buffer.size > idleBytesMax) return buffer.destroy()
    const key = `${purpose} ${buffer.size}`
    const idle = this.#idle.get(key)
    if (idle === undefined) this.#idle.set(key, [buffer])
    else idle.push(buffer)
    this.#idleBytes += buffer.size
  }
}

/** Buffers of one call. */
interface Call {
  readonly params: GPUBuffer
  readonly inputs: ReadonlyArray<GPUBuffer>
  readonly result: GPUBuffer
  readonly readback: GPUBuffer
}

/**
 * A backend on a device that is given to it; closing it destroys the device.
 *
 * @param name of the adapter, for the operator
 */
export const createWebGpuBackend = (device: GPUDevice, name: string): KernelBackend => {
  const pool = new BufferPool(device)
  const pipelines = new Map<Kernel, GPUComputePipeline>()
  let lost: BackendLost | null = null
  const loss = device.lost.then(({ message, reason }): never => {
    lost = new BackendLost(`The WebGPU device ${name} is lost (${reason}): ${message}`)
    throw lost
  })
  loss.catch(() => undefined)

  const pipelineOf = (kernel: Kernel): GPUComputePipeline => {
    const known = pipelines.get(kernel)
    if (known !== undefined) return known
    const module = device.createShaderModule({ label: kernel.name, code: kernel.wgsl.code })
    const pipeline = device.createComputePipeline({
      label: kernel.name,
      layout: "auto",
      compute: { module, entryPoint: "main" },
    })
    pipelines.set(kernel, pipeline)
    return pipeline
  }

  const giveBack = ({ inputs, params, readback, result }: Call): void => {
    pool.give("params", params)
    for (const buffer of inputs) pool.give("storage", buffer)
    pool.give("storage", result)
    pool.give("readback", readback)
  }

  const submit = (kernel: Kernel, params: Params, call: Call, inputs: ReadonlyArray<Float32Array>, bytes: number) => {
    const pipeline = pipelineOf(kernel)
    const values = Uint32Array.from(kernel.params, (param) => params[param]!)
    device.queue.writeBuffer(call.params, 0, values)
    for (const [i, input] of inputs.entries()) {
      device.queue.writeBuffer(call.inputs[i]!, 0, input as Float32Array<ArrayBuffer>)
    }
    const bindings = [
      { buffer: call.params, size: values.byteLength },
      ...call.inputs.map((buffer, i) => ({ buffer, size: inputs[i]!.byteLength })),
      { buffer: call.result, size: bytes },
    ]
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bindings.map((resource, binding) => ({ binding, resource })),
    })
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, group)
    pass.dispatchWorkgroups(...kernel.wgsl.workgroups(params))
    pass.end()
    encoder.copyBufferToBuffer(call.result, 0, call.readback, 0, bytes)
    device.queue.submit([encoder.finish()])
  }

  /** Rejects with the device's own words when something in this call failed, also when no promise of the driver does. */
  const settled = async (kernel: Kernel, mapped: Promise<void>): Promise<void> => {
    const scopes = Promise.all([device.popErrorScope(), device.popErrorScope()])
    const [[invalid, exhausted]] = await Promise.race([Promise.all([scopes, mapped]), loss])
    const error = invalid ?? exhausted
    if (error !== null) throw new Error(`${kernel.name}: ${error.message}`)
  }

  const run: KernelBackend["run"] = async (kernel, params, inputs, output) => {
    checkCall(kernel, params, inputs, output)
    if (lost !== null) throw lost
    try {
      const bytes = output.byteLength
      device.pushErrorScope("out-of-memory")
      device.pushErrorScope("validation")
      const call: Call = {
        params: pool.take("params", 4 * kernel.params.length),
        inputs: inputs.map((input) => pool.take("storage", input.byteLength)),
        result: pool.take("storage", bytes),
        readback: pool.take("readback", bytes),
      }
      submit(kernel, params, call, inputs, bytes)
      await settled(kernel, call.readback.mapAsync(mapForReading, 0, bytes))
      output.set(new Float32Array(call.readback.getMappedRange(0, bytes)))
      call.readback.unmap()
      giveBack(call)
    } catch (cause) {
      // Whatever it was, this device's results cannot be relied on any more; its buffers go with it.
      throw lost ??= new BackendLost(`The WebGPU device ${name} fails: ${cause}`)
    }
  }

  return {
    name: "webgpu",
    device: name,
    has: (kernel, params) => {
      const bytesMax = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize / 2)
      const groups = kernel.wgsl.workgroups(params)
      return [...kernel.inputs(params), kernel.output(params)].every((values) => 4 * values <= bytesMax) &&
        groups.every((count) => count <= device.limits.maxComputeWorkgroupsPerDimension)
    },
    run,
    close: () => device.destroy(),
  }
}
