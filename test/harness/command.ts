/** Runs a command of `wavepose` as a process until it exits. */
import { spawn } from "node:child_process"
import { runtimeArguments } from "./service.ts"

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `wavepose` with these arguments; `stdin` is given to it, `env` added to this process's, and `signal` sent when it writes on stderr. */
export const runCommand = (
  args: ReadonlyArray<string>,
  { env = {}, signal, stdin = new Uint8Array(0) }: {
    readonly env?: Record<string, string>
    readonly signal?: NodeJS.Signals
    readonly stdin?: Uint8Array
  } = {},
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...runtimeArguments(), ...args], { env: { ...process.env, ...env } })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (bytes) => stdout += String(bytes))
    child.stderr.on("data", (bytes) => stderr += String(bytes))
    // By pid, because Deno reports a child that `kill()` was called on as killed, however it ended.
    if (signal !== undefined) child.stderr.once("data", () => process.kill(child.pid!, signal))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(stdin)
  })
