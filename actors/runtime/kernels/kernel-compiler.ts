/**
 * A worker thread that compiles the kernels' AssemblyScript and ends; the compiler's memory goes with it.
 */
import { parentPort, workerData } from "node:worker_threads"

/** What the thread is given; it answers with the compiled bytes, or with the compiler's message. */
export interface Compilation {
  /** Contents by file name. */
  readonly sources: ReadonlyMap<string, string>
  readonly entry: string
  readonly options: ReadonlyArray<string>
}

/** What is used of the compiler. */
interface Compiler {
  readonly main: (args: ReadonlyArray<string>, host: {
    readonly readFile: (name: string) => string | null
    readonly writeFile: (name: string, contents: Uint8Array) => void
    readonly listFiles: () => ReadonlyArray<string>
  }) => Promise<{ readonly error: Error | null; readonly stderr: { readonly toString: () => string } }>
}

// Not by its literal name: the package's types replace those of `console` and others for the whole project.
const packageName: string = "assemblyscript/asc"
const { main } = await import(packageName) as Compiler

const { entry, options, sources } = workerData as Compilation
let compiled: Uint8Array | string = "the compiler wrote nothing"
const { error, stderr } = await main([entry, "--outFile", "module.wasm", ...options], {
  // The compiler puts its own ending behind that of our imports.
  readFile: (name) => sources.get(name.replace(/\.ts\.ts$/, ".ts")) ?? null,
  writeFile: (_, contents) => {
    compiled = contents
  },
  listFiles: () => [],
})
parentPort!.postMessage(error === null ? compiled : `${error.message}\n${stderr}`)
