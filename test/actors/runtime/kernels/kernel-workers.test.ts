/** The worker threads of the kernels: their results, and their failures. */
import { describe, expect, it } from "vitest"
import { loadKernelModule } from "../../../../actors/runtime/kernels/kernel-module.ts"
import { startKernelWorkers, workersFor } from "../../../../actors/runtime/kernels/kernel-workers.ts"
import { judge, judgementOf } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import { backProjection } from "../../../../core/kernels/back-projection.ts"
import { complexGemm } from "../../../../core/kernels/complex-gemm.ts"
import { BackendLost } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { createWasmBackend } from "../../../../actors/runtime/kernels/wasm-backend.ts"
import { openProgram } from "../../../../actors/runtime/kernels/wasm-module.ts"

const { bytes } = await loadKernelModule()

/** Too large for the calling thread. */
const large = { points: 2000, links: 8, antennas: 3, tones: 56, snapshots: 4 }

describe("kernel workers", () => {
  it("compute large calls in their shared memory, side by side and in turn", async () => {
    const backend = await createWasmBackend(bytes, (program) => startKernelWorkers(program, 3))
    const calls = [1, 2, 3].map((seed) => judgementOf(backProjection, large, uniform(seed)))
    const gemm = judgementOf(complexGemm, { batch: 2, m: 150, k: 200, n: 150 }, uniform(4))
    const errors = await Promise.all([
      ...calls.map((call) => judge(backend, backProjection, call)),
      judge(backend, complexGemm, gemm),
    ])
    expect(Math.max(...errors)).toBeLessThan(1e-5)
    backend.close()
  }, 60_000)

  it("end the backend when one of them dies, and reject all waiting calls", async () => {
    const program = openProgram(bytes)
    const threads = await startKernelWorkers(program, 2)
    const beyond = program.memory.buffer.byteLength
    const trap = { name: "fft", args: [1, 16, beyond, beyond, beyond, 0, 1] }
    const nothing = { name: "fft", args: [1, 16, 0, 0, 0, 0, 0] }
    await threads.run([nothing, nothing])
    await expect(threads.run([nothing, trap])).rejects.toThrow(BackendLost)
    await expect(threads.run([nothing])).rejects.toThrow(BackendLost)
    threads.close()
  }, 60_000)

  it("end the calls in progress when they are closed", async () => {
    const backend = await createWasmBackend(bytes, (program) => startKernelWorkers(program, 1))
    const call = judgementOf(backProjection, large, uniform(1))
    const pending = judge(backend, backProjection, call)
    backend.close()
    await expect(pending).rejects.toThrow(BackendLost)
    await expect(judge(backend, backProjection, call)).rejects.toThrow(BackendLost)
  }, 60_000)

  it("leave one core for other work", () => {
    expect([1, 2, 3, 4, 64].map(workersFor)).toEqual([1, 1, 2, 3, 4])
  })
})
