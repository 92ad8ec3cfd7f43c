/**
 * Runs in a node before its service, and breaks the WebAssembly kernels on a signal: SIGUSR2 makes every call of the main thread trap, SIGALRM fills
 * their memory with NaN. Programs that are opened later are whole.
 */
import process from "node:process"

type Exports = Readonly<Record<string, unknown>>
type Constructor<A> = new (...args: ReadonlyArray<unknown>) => A

interface WebAssemblyGlobal {
  Memory: Constructor<{ readonly buffer: ArrayBufferLike }>
  Instance: Constructor<{ readonly exports: Exports }>
  readonly RuntimeError: Constructor<Error>
}

const wasm = (globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal }).WebAssembly
const { Instance, Memory, RuntimeError } = wasm

const memories: Array<{ readonly buffer: ArrayBufferLike }> = []
const instances: Array<{ traps: boolean }> = []

wasm.Memory = class extends Memory {
  constructor(...args: ReadonlyArray<unknown>) {
    super(...args)
    memories.push(this)
  }
}

const trapping = (exports: Exports): Exports => {
  const instance = { traps: false }
  instances.push(instance)
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value !== "function" ? value : (...args: ReadonlyArray<unknown>) => {
        if (instance.traps) throw new RuntimeError("unreachable")
        return value(...args)
      },
    ]),
  )
}

wasm.Instance = class {
  readonly exports: Exports
  constructor(...args: ReadonlyArray<unknown>) {
    const { exports } = new Instance(...args)
    this.exports = "fillTables" in exports ? trapping(exports) : exports
  }
}

process.on("SIGUSR2", () => {
  for (const instance of instances) instance.traps = true
})
process.on("SIGALRM", () => {
  for (const { buffer } of memories) new Float32Array(buffer).fill(Number.NaN)
})
