/**
 * Runs in a node before its service, and breaks the WebAssembly kernels of its main thread on a signal: with SIGUSR2 every call traps, with SIGALRM
 * every call leaves NaN in the memory. Programs that are opened later are whole.
 */
import process from "node:process"

type Exports = Readonly<Record<string, unknown>>
type Constructor<A> = new (...args: ReadonlyArray<unknown>) => A
interface Imports {
  readonly env: { readonly memory: { readonly buffer: ArrayBufferLike } }
}

interface WebAssemblyGlobal {
  Instance: Constructor<{ readonly exports: Exports }>
  readonly RuntimeError: Constructor<Error>
}

const wasm = (globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal }).WebAssembly
const { Instance, RuntimeError } = wasm

const instances: Array<{ fault: "trap" | "damage" | null }> = []

const breakable = (exports: Exports, { env: { memory } }: Imports): Exports => {
  const instance: typeof instances[number] = { fault: null }
  instances.push(instance)
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value !== "function" ? value : (...args: ReadonlyArray<unknown>) => {
        if (instance.fault === "trap") throw new RuntimeError("unreachable")
        const result = value(...args)
        if (instance.fault === "damage") new Float32Array(memory.buffer).fill(Number.NaN)
        return result
      },
    ]),
  )
}

wasm.Instance = class {
  readonly exports: Exports
  constructor(...args: ReadonlyArray<unknown>) {
    const { exports } = new Instance(...args)
    // Only the kernels have this function.
    this.exports = "fillTables" in exports ? breakable(exports, args[1] as Imports) : exports
  }
}

process.on("SIGUSR2", () => {
  for (const instance of instances) instance.fault = "trap"
})
process.on("SIGALRM", () => {
  for (const instance of instances) instance.fault = "damage"
})
