/**
 * The WebGPU adapter of this machine: by Dawn (the package `webgpu`, if it is installed), else by the runtime. Deno has WebGPU of its own,
 * Node has not. Dawn comes first, because each read of a result waits 10 ms on Deno's own.
 */
/// <reference types="@webgpu/types" />

/** An implementation of WebGPU. */
export type WebGpuBinding = "dawn" | "runtime"

/** The exports of the package `webgpu`. Its global classes are not used: constants have the values of the specification. */
type Dawn = { readonly create: (options: ReadonlyArray<string>) => GPU }

// Dawn ends with the last reference to its GPU. One is kept for all devices of this process.
let dawn: Promise<GPU | null> | null = null

const loadDawn = (): Promise<GPU | null> =>
  dawn ??= import("webgpu").then((module: unknown) => (module as Dawn).create([])).catch(() => null)

const gpuOf = async (binding: WebGpuBinding): Promise<GPU | null> =>
  binding === "dawn" ? await loadDawn() : (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu ?? null

/** The adapter of one implementation; null when the implementation or a GPU that it can use is missing. */
export const requestAdapterOf = async (binding: WebGpuBinding): Promise<GPUAdapter | null> =>
  await (await gpuOf(binding))?.requestAdapter({ powerPreference: "high-performance" }) ?? null

/** The adapter of the first implementation that has one; null when this machine has none. */
export const requestAdapter = async (): Promise<GPUAdapter | null> =>
  await requestAdapterOf("dawn") ?? await requestAdapterOf("runtime")

/** For the operator. Dawn describes the driver; Deno describes the device, and its `device` is a number. */
export const adapterName = ({ info: { description, device } }: GPUAdapter): string => {
  const named = /^\d*$/.test(device) ? [description] : [device, description]
  return named.filter((part) => part !== "").join(", ") || "unknown adapter"
}
