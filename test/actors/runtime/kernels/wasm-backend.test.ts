/** The WebAssembly backend: inline calls, calls in threads, and rejected calls. */
import { describe, expect, it } from "vitest"
import { loadKernelModule } from "../../../../actors/runtime/kernels/kernel-module.ts"
import { backProjection } from "../../../../core/kernels/back-projection.ts"
import { complexGemm } from "../../../../core/kernels/complex-gemm.ts"
import { dense } from "../../../../core/kernels/dense.ts"
import { fft } from "../../../../core/kernels/fft.ts"
import { judge, judgementOf } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import { BackendLost } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import type { Kernel, Params } from "../../../../core/kernels/kernel.ts"
import { benchKernels, kernels } from "../../../../core/kernels/kernels.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { compute, instantiate, type Part, type Program } from "../../../../actors/runtime/kernels/wasm-module.ts"
import { createWasmBackend, type KernelThreads } from "../../../../actors/runtime/kernels/wasm-backend.ts"

const { bytes } = await loadKernelModule()

/** A stand-in for threads, which computes the parts one after the other in the calling thread. */
class Fake implements KernelThreads {
  readonly count: number
  readonly asked: Array<ReadonlyArray<Part>> = []
  readonly start = (program: Program): Promise<KernelThreads> => {
    this.#program = program
    return Promise.resolve(this)
  }
  closed = false
  lost = false
  #program: Program | null = null

  constructor(count: number) {
    this.count = count
  }

  readonly run = async (parts: ReadonlyArray<Part>): Promise<void> => {
    this.asked.push(parts)
    await Promise.resolve()
    if (this.lost) throw new BackendLost("gone")
    const instance = instantiate(this.#program!)
    for (const part of parts) compute(instance, part)
  }
  readonly close = () => {
    this.closed = true
  }
}

const open = (threads: Fake) => createWasmBackend(bytes, threads.start)

const large: ReadonlyArray<readonly [Kernel, Params]> = [
  [fft, { batch: 1500, size: 1024 }],
  [complexGemm, { batch: 3, m: 200, k: 90, n: 151 }],
  [backProjection, { points: 2001, links: 5, antennas: 3, tones: 57, snapshots: 3 }],
] as unknown as ReadonlyArray<readonly [Kernel, Params]>

describe("the WebAssembly backend", () => {
  it("has every kernel", async () => {
    const backend = await open(new Fake(1))
    expect([...kernels, ...benchKernels].filter((kernel) => !backend.has(kernel, kernel.trial))).toEqual([])
  })

  it("computes small calls in the calling thread", async () => {
    const threads = new Fake(2)
    const backend = await open(threads)
    for (const kernel of kernels) await judge(backend, kernel, judgementOf(kernel, kernel.trial, uniform(1)))
    expect(threads.asked).toEqual([])
  })

  it.each(large)(
    "splits large calls among its threads, with the same bits for any number: $name",
    async (kernel, params) => {
      const call = judgementOf(kernel, params, uniform(1))
      const outputs = await Promise.all([1, 2, 4].map(async (count) => {
        const threads = new Fake(count)
        const backend = await open(threads)
        const output = new Float32Array(call.expected.length)
        await backend.run(kernel, params, call.inputs, output)
        expect(threads.asked.map((parts) => parts.length)).toEqual([count])
        return output
      }))
      expect(outputs[1]).toEqual(outputs[0])
      expect(outputs[2]).toEqual(outputs[0])
    },
    60_000,
  )

  it("computes a small call synchronously on request, with the same bits, and leaves a large one to its threads", async () => {
    const threads = new Fake(2)
    const backend = await open(threads)
    const call = judgementOf(fft, fft.trial, uniform(1))
    const [now, later] = [new Float32Array(call.expected.length), new Float32Array(call.expected.length)]
    expect(backend.runNow!(fft, fft.trial, call.inputs, now)).toBe(true)
    await backend.run(fft, fft.trial, call.inputs, later)
    expect(now).toEqual(later)
    expect(now.some((value) => value !== 0)).toBe(true)
    const [kernel, params] = large[0]!
    const whole = judgementOf(kernel, params, uniform(1))
    const untouched = new Float32Array(whole.expected.length)
    expect(backend.runNow!(kernel, params, whole.inputs, untouched)).toBe(false)
    expect(untouched.every((value) => value === 0)).toBe(true)
    expect(threads.asked).toEqual([])
    expect(() => backend.runNow!(fft, fft.trial, call.inputs, new Float32Array(1))).toThrow(RangeError)
    backend.close()
    expect(() => backend.runNow!(fft, fft.trial, call.inputs, now)).toThrow(BackendLost)
  })

  it("keeps inputs that never change, also when more of them come than fit, and no others", async () => {
    const backend = await open(new Fake(1))
    const params = { batch: 1, inputs: 512, outputs: 512, activation: 0 }
    const bias = new Float32Array(512)
    // Twelve matrices of 1 MiB: more than it keeps.
    const weights = Array.from({ length: 12 }, (_, i) => new Float32Array(512 * 512).fill(i + 1))
    const x = new Float32Array(512)
    const output = new Float32Array(512)
    for (const factor of [1, 2]) {
      x.fill(factor)
      for (const [i, weight] of weights.entries()) {
        expect(backend.runNow!(dense, params, [x, weight, bias], output, [1, 2])).toBe(true)
        expect(new Set(output)).toEqual(new Set([512 * factor * (i + 1)]))
      }
    }
    weights[11]!.fill(0)
    backend.runNow!(dense, params, [x, weights[11]!, bias], output, [1, 2])
    expect(output[0]).toBe(512 * 2 * 12)
    backend.runNow!(dense, params, [x, weights[11]!, bias], output)
    expect(output[0]).toBe(0)
  })

  it("separates a small call from the large one in progress", async () => {
    const threads = new Fake(2)
    const backend = await open(threads)
    const [kernel, params] = large[1]!
    const errors = await Promise.all([
      judge(backend, kernel, judgementOf(kernel, params, uniform(1))),
      judge(backend, kernel, judgementOf(kernel, kernel.trial, uniform(2))),
      judge(backend, kernel, judgementOf(kernel, params, uniform(3))),
    ])
    expect(Math.max(...errors)).toBeLessThanOrEqual(kernel.nrmseMax)
    expect(threads.asked).toHaveLength(2)
  })

  it("does not have calls that exceed its memory, or whose numbers would wrap", async () => {
    const backend = await open(new Fake(1))
    expect(backend.has(fft, { batch: 2_000, size: 1024 })).toBe(true)
    expect(backend.has(fft, { batch: 4_000, size: 1024 })).toBe(false)
    expect(backend.has(fft, { batch: 2 ** 32, size: 16 })).toBe(false)
    expect(backend.has(complexGemm, { batch: 1, m: 2, k: 0, n: 2 })).toBe(false)
  })

  it("is lost when its threads are, and rejects every later call", async () => {
    const threads = new Fake(2)
    const backend = await open(threads)
    const [kernel, params] = large[1]!
    threads.lost = true
    const call = judgementOf(kernel, params, uniform(1))
    const pending = [judge(backend, kernel, call), judge(backend, kernel, call)]
    for (const result of pending) await expect(result).rejects.toThrow(BackendLost)
    threads.lost = false
    await expect(judge(backend, fft, judgementOf(fft, { batch: 1, size: 16 }, uniform(1)))).rejects.toThrow(BackendLost)
    backend.close()
    expect(threads.closed).toBe(true)
  })

  it("does not open invalid code", async () => {
    await expect(createWasmBackend(new Uint8Array([1, 2, 3]), new Fake(1).start)).rejects.toThrow()
  })
})
