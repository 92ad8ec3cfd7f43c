/**
 * Reusable device buffers of WebGPU, by purpose and size class.
 *
 * Invariant: at most `idleBytesMax` of device memory is kept for later calls.
 */
/// <reference types="@webgpu/types" />

/** Device memory that is kept for later calls. */
const idleBytesMax = 256 * 1024 * 1024
/** Smallest size class. */
const classBytesMin = 256

// Values of the specification (GPUBufferUsage): a runtime without WebGPU does not have the global.
const usage = { mapRead: 0x1, copySource: 0x4, copyDestination: 0x8, uniform: 0x40, storage: 0x80 } as const

const purposes = {
  params: usage.uniform | usage.copyDestination,
  storage: usage.storage | usage.copySource | usage.copyDestination,
  readback: usage.mapRead | usage.copyDestination,
} as const
type Purpose = keyof typeof purposes

/** Buffers whose sizes are powers of two. */
export class BufferPool {
  readonly #device: GPUDevice
  readonly #idle = new Map<string, Array<GPUBuffer>>()
  #idleBytes = 0

  constructor(device: GPUDevice) {
    this.#device = device
  }

  /** A new buffer of `bytes` that is not for reuse. */
  make(purpose: Purpose, bytes: number): GPUBuffer {
    return this.#device.createBuffer({ size: bytes, usage: purposes[purpose] })
  }

  /** A buffer of at least `bytes`, with arbitrary content. */
  take(purpose: Purpose, bytes: number): GPUBuffer {
    const size = Math.max(classBytesMin, 2 ** Math.ceil(Math.log2(bytes)))
    const known = this.#idle.get(`${purpose} ${size}`)?.pop()
    if (known === undefined) return this.make(purpose, size)
    this.#idleBytes -= size
    return known
  }

  /** Returns a buffer for reuse; destroys it when enough are idle. */
  give(purpose: Purpose, buffer: GPUBuffer): void {
    if (this.#idleBytes + buffer.size > idleBytesMax) return buffer.destroy()
    const key = `${purpose} ${buffer.size}`
    const idle = this.#idle.get(key)
    if (idle === undefined) this.#idle.set(key, [buffer])
    else idle.push(buffer)
    this.#idleBytes += buffer.size
  }
}
