/// <reference types="@webgpu/types" />
/** Calls and steps on a WebGPU device, also one that is lost or fails. Requires an adapter, which may be software. */
import { describe, expect, it } from "vitest"
import { judge, judgementOf, nrmse } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import { BackendLost } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import { dense } from "../../../../core/kernels/dense.ts"
import { type Kernel, placed } from "../../../../core/kernels/kernel.ts"
import { fft } from "../../../../core/kernels/fft.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { requestAdapter } from "../../../../actors/runtime/kernels/webgpu-adapter.ts"
import { createWebGpuBackend } from "../../../../actors/runtime/kernels/webgpu-backend.ts"
import { compilingMs } from "../../../harness/compiling.ts"

const adapter = await requestAdapter()
/** An adapter gives one device. */
const newDevice = async () => (await requestAdapter())!.requestDevice()

describe.skipIf(adapter === null)("the WebGPU backend", { timeout: compilingMs }, () => {
  const judgement = judgementOf(fft as Kernel, { batch: 20, size: 256 }, uniform(4))
  const run = (backend: ReturnType<typeof createWebGpuBackend>) => judge(backend, fft, judgement as never)

  it("ends all calls with BackendLost when its device is lost, and rejects later ones", async () => {
    const device = await newDevice()
    const backend = createWebGpuBackend(device, "test")
    expect(await run(backend)).toBeLessThan(fft.nrmseMax)
    const calls = Promise.allSettled([run(backend), run(backend), run(backend)])
    device.destroy()
    for (const call of await calls) {
      expect(call).toMatchObject({ status: "rejected", reason: expect.any(BackendLost) })
    }
    await expect(run(backend)).rejects.toThrow(BackendLost)
  })

  it("never returns a result of a call that the device rejects", async () => {
    const device = await newDevice()
    const backend = createWebGpuBackend(device, "test")
    const broken = { ...fft, wgsl: { ...fft.wgsl, code: "fn main() { this is no program }" } }
    await expect(judge(backend, broken, judgement as never)).rejects.toThrow(BackendLost)
    backend.close()
  })

  it("does not have a call beyond the limits of the device", async () => {
    const device = await newDevice()
    const backend = createWebGpuBackend(device, "test")
    expect(backend.has(fft, { batch: 1, size: 4096 })).toBe(true)
    expect(backend.has(fft, { batch: 2 ** 20, size: 4096 })).toBe(false)
    backend.close()
  })

  it("runs a step in one submission, and its results are those of single calls", async () => {
    const device = await newDevice()
    let submissions = 0
    const submit = device.queue.submit.bind(device.queue)
    const queue = new Proxy(device.queue, {
      get: (target, key) => {
        if (key === "submit") return (buffers: Array<GPUCommandBuffer>) => (submissions++, submit(buffers))
        const value = Reflect.get(target, key)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const watched = new Proxy(device, {
      get: (target, key) => {
        if (key === "queue") return queue
        const value = Reflect.get(target, key)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const backend = createWebGpuBackend(watched, "test")
    const random = uniform(6)
    const params = { batch: 5, inputs: 7, outputs: 7, activation: 2 }
    const [x, weight, bias] = dense.sample(params, random)
    for (const round of [1, 2]) {
      const first = placed({
        kernel: dense,
        params,
        inputs: [x!.map((value) => round * value), weight!, bias!],
        fixed: [1, 2],
      })
      const second = placed({ kernel: dense, params, inputs: [first.output, weight!, bias!], fixed: [1, 2] })
      const before = submissions
      await backend.runStep!([first, second])
      expect(submissions).toBe(before + 1)
      for (const { inputs, output } of [first, second]) {
        const expected = new Float32Array(output.length)
        dense.reference(params, inputs, expected)
        expect(nrmse(output, expected)).toBeLessThan(dense.nrmseMax)
      }
    }
    backend.close()
  })

  it("reuses its buffers", async () => {
    const device = await newDevice()
    let made = 0
    const counting = new Proxy(device, {
      get: (target, key) => {
        const value = Reflect.get(target, key)
        if (key === "createBuffer") made++
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const backend = createWebGpuBackend(counting, "test")
    await run(backend)
    const afterFirst = made
    for (let call = 0; call < 5; call++) await run(backend)
    expect(made).toBe(afterFirst)
    backend.close()
  })
})
