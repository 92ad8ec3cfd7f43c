/// <reference types="@webgpu/types" />
/** Calls of a WebGPU device that is lost or fails. Requires an adapter, which may be software. */
import { describe, expect, it } from "vitest"
import { judge, judgementOf } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import { BackendLost } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import type { Kernel } from "../../../../core/kernels/kernel.ts"
import { fft } from "../../../../core/kernels/fft.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { createWebGpuBackend } from "../../../../actors/runtime/kernels/webgpu-backend.ts"
import { compilingMs } from "../../../harness/compiling.ts"

const gpu = (globalThis as { readonly navigator?: { readonly gpu?: GPU } }).navigator?.gpu
const adapter = await gpu?.requestAdapter() ?? null

describe.skipIf(adapter === null)("the WebGPU backend", { timeout: compilingMs }, () => {
  const judgement = judgementOf(fft as Kernel, { batch: 20, size: 256 }, uniform(4))
  const run = (backend: ReturnType<typeof createWebGpuBackend>) => judge(backend, fft, judgement as never)

  it("ends all calls with BackendLost when its device is lost, and rejects later ones", async () => {
    const device = await adapter!.requestDevice()
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
    const device = await (await gpu!.requestAdapter())!.requestDevice()
    const backend = createWebGpuBackend(device, "test")
    const broken = { ...fft, wgsl: { ...fft.wgsl, code: "fn main() { this is no program }" } }
    await expect(judge(backend, broken, judgement as never)).rejects.toThrow(BackendLost)
    backend.close()
  })

  it("does not have a call beyond the limits of the device", async () => {
    const device = await (await gpu!.requestAdapter())!.requestDevice()
    const backend = createWebGpuBackend(device, "test")
    expect(backend.has(fft, { batch: 1, size: 4096 })).toBe(true)
    expect(backend.has(fft, { batch: 2 ** 20, size: 4096 })).toBe(false)
    backend.close()
  })

  it("reuses its buffers", async () => {
    const device = await (await gpu!.requestAdapter())!.requestDevice()
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
