/**
 * The WebAssembly module of the kernels as its threads see it: one compiled program, one memory that all of them share.
 *
 * Owns the contract between `assembly/index.ts` and its callers. Boundary: bytes come from outside, threads are started outside.
 * The memory has one size for good, so that nothing is ever moved and a runtime that checks each access checks against a constant;
 * it counts as the program's memory whole, which keeps it small, and calls that it does not hold run elsewhere.
 */

/** Pages of 64 KiB; `compilerOptions` and the memory must agree. */
const pages = 1024
export const memoryBytes = pages * 65536

/** The compiler's options that this contract rests on. */
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

/** Bytes behind every array that a kernel may read and write. */
export const slackBytes = 256

/** Compiled code; what it is inside is the runtime's. */
interface Code {
  readonly [code: symbol]: never
}

interface Memory {
  readonly buffer: SharedArrayBuffer
}

export type Exports = Readonly<Record<string, ((...args: ReadonlyArray<number>) => number) | undefined>>

/** What threads share. It can be posted to a worker. */
export interface Program {
  readonly code: Code
  readonly memory: Memory
}

/** A part of a call: an export and all its arguments. */
export interface Part {
  readonly name: string
  readonly args: ReadonlyArray<number>
}

/** The part of the global that is used; its types come only with those of a browser. */
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
  /** Where the memory is free. */
  readonly arena: number
}

/** Compiles a module and gives it a memory with its tables filled. Throws when the runtime lacks an instruction of the module. */
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
