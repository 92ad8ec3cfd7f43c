/**
 * The sources of this machine's kernel backends: its GPU, by WebGPU or gpu.js, and its processors.
 *
 * Boundary: `kernel-choice.ts` chooses among the sources.
 */
/// <reference types="@webgpu/types" />
import { execFile } from "node:child_process"
import { availableParallelism } from "node:os"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import packageJson from "../../../package.json" with { type: "json" }
import { createGpuJsBackend, type GpuJs, type GpuJsMode } from "./gpujs-backend.ts"
import type { BackendName } from "../../../protocols/ports/kernel-report.ts"
import type { KernelBackend } from "./kernel-backend.ts"
import { createWasmBackend } from "./wasm-backend.ts"
import { adapterName, requestAdapter, requestAdapterOf, type WebGpuBinding } from "./webgpu-adapter.ts"
import { createWebGpuBackend } from "./webgpu-backend.ts"
import { loadKernelModule } from "./kernel-module.ts"
import { startKernelWorkers, workersFor } from "./kernel-workers.ts"

export interface BackendSource {
  readonly name: BackendName
  /** Opens the backend. Null when this machine does not have it; rejects when it cannot be opened. */
  readonly open: () => Promise<KernelBackend | null>
  /** An alternative to a device of another source: opened only when it is named, or when the earlier sources did not pass. */
  readonly spare?: boolean
  /**
   * Name of a software emulation of the device; null for a real device or none. An emulated backend is opened only when it is named: it
   * is slower than WebAssembly, and the first compilation of its programs can take minutes.
   */
  readonly emulator?: () => Promise<string | null>
}

/**
 * A process of its own requests the adapter, because a process that has loaded the driver of an emulation keeps 80 MB of it.
 */
const webGpuEmulator = async (): Promise<string | null> => {
  const probe = fileURLToPath(new URL("./webgpu-probe.ts", import.meta.url))
  const args = "Deno" in globalThis ? ["run", "--quiet", "--no-prompt", ...probePermissions, probe] : [probe]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as string | null
}

/** Dawn is a native package, which reads its own files and environment. */
const probePermissions = ["--allow-read", "--allow-env", "--allow-ffi"]

/** Opens WebGPU, with one implementation or the first that finds a GPU. */
export const openWebGpu = async (named?: WebGpuBinding): Promise<KernelBackend | null> => {
  const adapter = await (named === undefined ? requestAdapter() : requestAdapterOf(named))
  if (adapter === null) return null
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } })
  return createWebGpuBackend(device, adapterName(adapter))
}

const gpuJsMissing =
  "the package gpu.js is not installed. Production installations omit it, because it needs 115 MB. " +
  `To add it, run \`npm install --no-save --save-prod --omit=dev --ignore-scripts gpu.js@${
    packageJson.devDependencies["gpu.js"]
  }\` in the service's folder`

/** Opens gpu.js in one mode. The package is loaded on first use; rejects with instructions if it is not installed. */
export const openGpuJs = async (
  mode: GpuJsMode,
  load: () => Promise<{ readonly GPU: unknown }> = () => import("gpu.js"),
): Promise<KernelBackend> => {
  const { GPU } = await load().catch((cause) => {
    throw new Error(gpuJsMissing, { cause })
  })
  return createGpuJsBackend(GPU as unknown as new (options: { readonly mode: GpuJsMode }) => GpuJs, mode)
}

/** Opens WebAssembly on the processors. The first call compiles the module. */
const openWasm = async (): Promise<KernelBackend> => {
  const { bytes } = await loadKernelModule()
  return createWasmBackend(bytes, (program) => startKernelWorkers(program, workersFor(availableParallelism())))
}

/** The possible backends besides the typed arrays. The mode `headlessgl` of gpu.js requires a native package that is not a dependency. */
export const backendSources: ReadonlyArray<BackendSource> = [
  { name: "webgpu", open: () => openWebGpu(), emulator: webGpuEmulator },
  { name: "wasm", open: openWasm },
  {
    name: "gpujs",
    open: async () => openGpuJs(await requestAdapterOf("runtime") === null ? "webasm" : "webgpu"),
    spare: true,
  },
]
