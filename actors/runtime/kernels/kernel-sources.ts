/**
 * Where this machine's backends for kernels come from: its GPU, by WebGPU or gpu.js, and its processors.
 *
 * Boundary: what a backend does is `core/kernels`; which one is taken is `kernels.ts`.
 */
/// <reference types="@webgpu/types" />
import { availableParallelism } from "node:os"
import { createGpuJsBackend, type GpuJs, type GpuJsMode } from "./gpujs-backend.ts"
import type { BackendName } from "../../../protocols/ports/kernel-report.ts"
import type { KernelBackend } from "./kernel-backend.ts"
import { createWasmBackend } from "./wasm-backend.ts"
import { createWebGpuBackend } from "./webgpu-backend.ts"
import { loadKernelModule } from "./kernel-module.ts"
import { startKernelWorkers, workersFor } from "./kernel-workers.ts"

export interface BackendSource {
  readonly name: BackendName
  /** Opens the backend; null where this machine has none, rejects when it has one that does not open. */
  readonly open: () => Promise<KernelBackend | null>
  /** A second way to a device that others reach: opened only when it is named, or when those before it did not pass. */
  readonly spare?: boolean
  /**
   * Name of the processor program that stands in for the device, null for a real device or none. Such a backend is opened only
   * when it is named: it is slower than WebAssembly, and compiling its programs can take minutes the first time.
   */
  readonly emulator?: () => Promise<string | null>
}

/** The runtime's own WebGPU: Deno has it, Node has not. */
const requestAdapter = async (): Promise<GPUAdapter | null> => {
  const { navigator } = globalThis as { readonly navigator?: { readonly gpu?: GPU } }
  return await navigator?.gpu?.requestAdapter({ powerPreference: "high-performance" }) ?? null
}

const emulators = /llvmpipe|lavapipe|swiftshader|basic render/i

const nameOf = ({ info }: GPUAdapter): string => info.description || info.device || "unknown adapter"

const webGpuEmulator = async (): Promise<string | null> => {
  const adapter = await requestAdapter()
  if (adapter === null) return null
  return adapter.info.isFallbackAdapter || emulators.test(nameOf(adapter)) ? nameOf(adapter) : null
}

const openWebGpu = async (): Promise<KernelBackend | null> => {
  const adapter = await requestAdapter()
  if (adapter === null) return null
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } })
  return createWebGpuBackend(device, nameOf(adapter))
}

/** gpu.js in one mode; the package is loaded when it is asked for. */
export const openGpuJs = async (mode: GpuJsMode): Promise<KernelBackend> => {
  const { GPU } = await import("gpu.js")
  return createGpuJsBackend(GPU as unknown as new (options: { readonly mode: GpuJsMode }) => GpuJs, mode)
}

/** WebAssembly on the processors; the first time its module is compiled. */
const openWasm = async (): Promise<KernelBackend> => {
  const { bytes } = await loadKernelModule()
  return createWasmBackend(bytes, (program) => startKernelWorkers(program, workersFor(availableParallelism())))
}

/** What this machine may have beside the typed arrays. gpu.js' own `headlessgl` needs a native package that is not among ours. */
export const backendSources: ReadonlyArray<BackendSource> = [
  { name: "webgpu", open: openWebGpu, emulator: webGpuEmulator },
  { name: "wasm", open: openWasm },
  {
    name: "gpujs",
    open: async () => openGpuJs(await requestAdapter() === null ? "webasm" : "webgpu"),
    spare: true,
  },
]
