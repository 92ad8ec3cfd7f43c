/** The WebGPU adapter of the runtime: Deno has WebGPU, Node does not. */
/// <reference types="@webgpu/types" />

export const gpuOf = (scope: object): GPU | undefined =>
  (scope as { readonly navigator?: { readonly gpu?: GPU } }).navigator?.gpu

export const requestAdapter = async (): Promise<GPUAdapter | null> =>
  await gpuOf(globalThis)?.requestAdapter({ powerPreference: "high-performance" }) ?? null

export const adapterName = ({ info }: GPUAdapter): string => info.description || info.device || "unknown adapter"
