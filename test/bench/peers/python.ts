/**
 * Peers in Python: a virtual environment of exact packages under the system's temporary folder, and a process that takes a command a line
 * and answers with a line of JSON. Its first line, unasked, says what it is.
 */
import { execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export interface PythonPeer {
  /** What it said of itself: versions, checks. */
  readonly hello: unknown
  /** Sends a command and resolves to the answer. */
  // deno-lint-ignore no-explicit-any
  readonly ask: (command: unknown) => Promise<any>
  readonly stop: () => void
}

const run = (program: string, args: ReadonlyArray<string>): void => void execFileSync(program, args, { stdio: "pipe" })

/** The environment of some packages; made when it is not there. */
const pythonEnvironment = (packages: ReadonlyArray<string>): string => {
  const key = createHash("sha256").update(packages.join(" ")).digest("hex").slice(0, 8)
  const environment = join(tmpdir(), `wavepose-bench-${packages[0]!.replace(/\W+/g, "-")}-${key}`)
  const whole = join(environment, "installed")
  if (existsSync(whole)) return environment
  const python = join(environment, "bin", "python")
  run("python3", ["-m", "venv", environment])
  run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages])
  run(python, ["-c", `open(${JSON.stringify(whole)}, "w")`])
  return environment
}

/**
 * Starts a script beside this file with the folder of its environment as first argument; returns why it cannot run where there is no
 * Python, no network, or no package for this machine.
 *
 * @param packages none: the script runs on the system's Python, with what is installed there
 * @param variables of its environment, beside our own
 */
export const startPython = async (
  script: string,
  packages: ReadonlyArray<string>,
  args: ReadonlyArray<string> = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<PythonPeer | string> => {
  try {
    const environment = packages.length === 0 ? "" : pythonEnvironment(packages)
    const file = fileURLToPath(new URL(`./${script}`, import.meta.url))
    const python = packages.length === 0 ? "python3" : join(environment, "bin", "python")
    const child = spawn(python, [file, environment, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...variables },
    })
    child.on("error", () => undefined)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const answer = async () => {
      const { done, value } = await lines.next()
      if (done === true) throw new Error("the process has ended")
      return JSON.parse(value)
    }
    return {
      hello: await answer(),
      ask: (command) => {
        child.stdin.write(`${JSON.stringify(command)}\n`)
        return answer()
      },
      stop: () => child.stdin.end(),
    }
  } catch (error) {
    return `it cannot be run here: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]}`
  }
}
