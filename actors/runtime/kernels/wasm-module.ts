/**
 * The WebAssembly module of the kernels: one compiled program, and one memory that all threads share.
 *
 * Owns the contract between `core/kernels/wasm/assembly/index.ts` and its callers. Boundary: the compiled bytes are an argument, and threads are
 * started elsewhere. The memory has a fixed size, so that it is never moved and a runtime can check accesses against a constant. The whole
 * size counts as memory of the process, so it is small; calls that do not fit run on another backend.
 */

/** Pages of 64 KiB; `compilerOptions` and the memory must agree. */
const pages = 1024
export const memoryBytes = pages * 65536

/** The compiler's options that this contract requires. */
export const compilerOptions: ReadonlyArray<string> = [
  "-O3",
  "--noAssert",
  "--runtime",
  "stub",
  "--use",
  "abort=",
  "--enable",
  "simd",
  "--enable",
  "relaxed-simd",
  "--enable",
  "threads",
  "--importMemory",
  "--sharedMemory",
  "--initialMemory",
  String(pages),
  "--maximumMemory",
  String(pages),
]

/** Bytes after every array that a kernel may read and write. */
export const slackBytes = 256

/** Compiled code, opaque. */
interface Code {
  readonly [code: symbol]: never
}

interface Memory {
  readonly buffer: SharedArrayBuffer
}

export type Exports = Readonly<Record<string, ((...args: ReadonlyArray<number>) => number) | undefined>>

/** The code and memory that threads share. It can be posted to a worker. */
export interface Program {
  readonly code: Code
  readonly memory: Memory
}

/** A part of a call: an export and all its arguments. */
export interface Part {
  readonly name: string
  readonly args: ReadonlyArray<number>
}

/** The used part of the global `WebAssembly`, whose types exist only in the browser library. */
interface WebAssemblyGlobal {
  readonly Module: new (bytes: Uint8Array) => Code
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number; readonly shared: true }) => Memory
  readonly Instance: new (code: Code, imports: { readonly env: { readonly memory: Memory } }) => {
    readonly exports: Exports & { readonly tablesEnd: { readonly value: number } }
  }
}

const { Instance, Memory, Module } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal }).WebAssembly

/** An instance of a program in this thread. */
export interface ModuleInstance {
  readonly exports: Exports
  /** Address of the first free byte of the memory. */
  readonly arena: number
}

/** Compiles a module and creates its memory with filled tables. Throws when the runtime lacks an instruction of the module. */
export const openProgram = (bytes: Uint8Array): Program => {
  const program = { code: new Module(bytes), memory: new Memory({ initial: pages, maximum: pages, shared: true }) }
  instantiate(program).exports["fillTables"]!()
  return program
}

export const instantiate = ({ code, memory }: Program): ModuleInstance => {
  const { exports } = new Instance(code, { env: { memory } })
  return { exports, arena: exports.tablesEnd.value }
}

/** Computes a part in this thread. Throws when the module traps. */
export const compute = ({ exports }: ModuleInstance, { args, name }: Part): void => void exports[name]!(...args)
