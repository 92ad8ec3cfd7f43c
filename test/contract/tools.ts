/**
 * Tools that are installed on demand from npm and PyPI, and kept in `node_modules/.cache/wavepose/contract`: they are larger than the project,
 * and only the contract suite uses them.
 */
import { execFile, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { eventually } from "../harness/service.ts"

const run = promisify(execFile)

export const root = fileURLToPath(new URL("../..", import.meta.url))
const cache = join(root, "node_modules", ".cache", "wavepose", "contract")
const installMsMax = 240_000
/** Another test may be installing the same. */
const waitMsMax = 2 * installMsMax
/** Of each of three steps. */
const goMsMax = 120_000

/** Python packages of the client, and of the command `contract`. */
const pythonPackages = {
  client: [
    "httpx==0.28.1",
    "websockets==17.4",
    "typing-extensions==4.16.0",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "grpcio==1.85.3",
    "protobuf==7.36.2",
  ],
  tools: ["schemathesis==4.32.5", "openapi-python-client==0.29.1", "datamodel-code-generator==0.89.0", "ruff==0.17.6"],
} as const

/** npm packages of the contract suite. */
const npmPackages = {
  asyncapi: ["@asyncapi/parser@3.6.6"],
  types: ["openapi-typescript@7.13.0", "typescript@5.9.3"],
} as const

/** The process that holds a lock; null: none. */
const holderOf = (lock: string): number | null => existsSync(lock) ? Number(readFileSync(lock, "utf8")) : null

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Takes a lock file, also that of a process that has ended: files of tests run at the same time and need the same installation. */
const takeLock = (lock: string): boolean => {
  const holder = holderOf(lock)
  if (holder !== null && holder > 0 && !isAlive(holder)) rmSync(lock, { force: true })
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" })
    return true
  } catch {
    return false
  }
}

/** A folder with an installation, which is made once per list of packages. Null with the reason if it cannot be made. */
const installed = async (
  name: string,
  packages: ReadonlyArray<string>,
  install: (folder: string) => Promise<unknown>,
): Promise<{ readonly folder: string } | { readonly reason: string }> => {
  const folder = join(cache, name)
  const marker = join(folder, `installed-${packages.join(" ").replace(/[^A-Za-z0-9.]+/g, "-")}`)
  if (existsSync(marker)) return { folder }
  mkdirSync(folder, { recursive: true })
  const lock = `${folder}.lock`
  try {
    await eventually(() => Promise.resolve(takeLock(lock)), (taken) => taken, waitMsMax)
    if (!existsSync(marker)) await install(folder)
    writeFileSync(marker, "")
    return { folder }
  } catch (error) {
    return { reason: `${packages.join(", ")} cannot be installed: ${String(error).split("\n")[0]}` }
  } finally {
    if (holderOf(lock) === process.pid) rmSync(lock, { force: true })
  }
}

/** The folder of programs of a virtual environment with these packages. */
export const python = async (set: keyof typeof pythonPackages) => {
  const packages = pythonPackages[set]
  const made = await installed(`python-${set}`, packages, async (folder) => {
    await run("python3", ["-m", "venv", folder], { timeout: installMsMax })
    await run(join(folder, "bin", "pip"), ["install", "--quiet", ...packages], { timeout: installMsMax })
  })
  return "reason" in made ? made : { bin: join(made.folder, "bin") }
}

const goPlugins = [
  "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.5",
  "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.3.0",
] as const

/** The folder of protoc's plugins for Go; the modules of the Go example are downloaded as well. */
export const go = async () => {
  const made = await installed("go", goPlugins, async (folder) => {
    const env = { ...process.env, GOBIN: join(folder, "bin") }
    for (const plugin of goPlugins) await run("go", ["install", plugin], { env, timeout: goMsMax })
    const example = join(root, "protocols", "clients", "go")
    await run("go", ["mod", "download"], { cwd: example, timeout: goMsMax })
  })
  return "reason" in made ? made : { bin: join(made.folder, "bin") }
}

/** The folder of an npm installation with these packages. */
export const npm = (set: keyof typeof npmPackages) =>
  installed(`npm-${set}`, npmPackages[set], async (folder) => {
    writeFileSync(join(folder, "package.json"), "{}")
    const args = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, ...npmPackages[set]]
    await run("npm", args, { timeout: installMsMax })
  })

/** Runs a Python script of this folder with a JSON value on stdin; resolves to the JSON that it writes. */
export const runScript = (
  program: string,
  script: string,
  input: unknown,
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, [join(root, "test", "contract", script)], { env: { ...process.env, ...variables } })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (bytes) => stdout += String(bytes))
    child.stderr.on("data", (bytes) => stderr += String(bytes))
    child.once("error", reject)
    child.once("close", (code) => code === 0 ? resolve(JSON.parse(stdout)) : reject(new Error(stderr)))
    child.stdin.end(JSON.stringify(input))
  })
