/**
 * The compiled kernels: built from their sources by the AssemblyScript compiler on first use, and cached.
 *
 * A build is cached under the hash of its inputs, so that a change of a source or of the compiler leads to a new build.
 */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import packageJson from "../../../package.json" with { type: "json" }
import { compilerOptions } from "./wasm-module.ts"
import { cacheFolder } from "../cache-folder.ts"
import type { Compilation } from "./kernel-compiler.ts"

const entry = "index.ts"
const sourceFolder = fileURLToPath(new URL("../../../core/kernels/wasm/assembly", import.meta.url))

interface KernelModule {
  readonly bytes: Uint8Array
  /** Whether it was compiled now. */
  readonly built: boolean
}

const readSources = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  )
}

/** The declared version of the compiler: an installation with a build in its cache does not need the compiler itself. */
const compilerVersion = packageJson.devDependencies.assemblyscript

const keyOf = (sources: ReadonlyMap<string, string>): string =>
  createHash("sha256").update(JSON.stringify([compilerVersion, compilerOptions, ...sources])).digest("hex").slice(0, 16)

const compile = (compilation: Compilation): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./kernel-compiler.ts", import.meta.url), { workerData: compilation })
    worker.once("error", reject)
    worker.once("exit", () => reject(new Error("the kernel compiler ended without an answer")))
    worker.once("message", (compiled: Uint8Array | string) => {
      if (typeof compiled === "string") reject(new Error(`the kernels could not be compiled: ${compiled}`))
      else resolve(compiled)
      void worker.terminate()
    })
  })

/** Writes a build to the cache atomically, and removes earlier builds. */
const cache = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const partial = join(folder, `.${process.pid}-${name}`)
  await writeFile(partial, bytes)
  await rename(partial, join(folder, name))
  const earlier = (await readdir(folder)).filter((other) => /^kernels-\w+\.wasm$/.test(other) && other !== name)
  await Promise.all(earlier.map((other) => rm(join(folder, other), { force: true })))
}

/**
 * The compiled module, from `folder` or, after some seconds, from the compiler. Rejects with the compiler's message when the sources cannot
 * be compiled.
 *
 * @param onBuild called before a compilation
 */
export const loadKernelModule = async (
  { folder = cacheFolder, onBuild, sources: from = sourceFolder }: {
    readonly folder?: string
    readonly sources?: string
    readonly onBuild?: () => void
  } = {},
): Promise<KernelModule> => {
  const sources = await readSources(from)
  const name = `kernels-${keyOf(sources)}.wasm`
  try {
    return { bytes: await readFile(join(folder, name)), built: false }
  } catch {
    // Missing or unreadable: compiled again.
  }
  onBuild?.()
  const bytes = await compile({ sources, entry, options: compilerOptions })
  // In a read-only folder every start compiles again.
  await cache(folder, name, bytes).catch(() => undefined)
  return { bytes, built: true }
}
