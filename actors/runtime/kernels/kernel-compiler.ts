/**
 * A worker thread that compiles the AssemblyScript of the kernels. It ends afterwards, which frees the memory of the compiler.
 */
import { parentPort, workerData } from "node:worker_threads"

/** The input of the thread. It answers with the compiled bytes, or with the error message of the compiler as a string. */
export interface Compilation {
  /** File contents by file name. */
  readonly sources: ReadonlyMap<string, string>
  readonly entry: string
  readonly options: ReadonlyArray<string>
}

/** The used part of the compiler's API. */
interface Compiler {
  readonly main: (args: ReadonlyArray<string>, host: {
    readonly readFile: (name: string) => string | null
    readonly writeFile: (name: string, contents: Uint8Array) => void
    readonly listFiles: () => ReadonlyArray<string>
  }) => Promise<{ readonly error: Error | null; readonly stderr: { readonly toString: () => string } }>
}

// A variable, so that TypeScript does not load the package's types: they replace those of `console` and others for the whole project.
const packageName: string = "assemblyscript/asc"
const { main } = await import(packageName) as Compiler

const { entry, options, sources } = workerData as Compilation
let compiled: Uint8Array | string = "the compiler wrote nothing"
const { error, stderr } = await main([entry, "--outFile", "module.wasm", ...options], {
  // The compiler appends its own extension to that of our imports.
  readFile: (name) => sources.get(name.replace(/\.ts\.ts$/, ".ts")) ?? null,
  writeFile: (_, contents) => {
    compiled = contents
  },
  listFiles: () => [],
})
parentPort!.postMessage(error === null ? compiled : `${error.message}\n${stderr}`)
