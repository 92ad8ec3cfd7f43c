/** A program that prints, as JSON, the name of the WebGPU adapter if it is a software emulation, else null. */
import { adapterName, requestAdapter } from "./webgpu-adapter.ts"

const emulators = /llvmpipe|lavapipe|swiftshader|basic render/i

const adapter = await requestAdapter()
const isEmulated = adapter !== null && (adapter.info.isFallbackAdapter || emulators.test(adapterName(adapter)))
console.log(JSON.stringify(isEmulated ? adapterName(adapter) : null))
