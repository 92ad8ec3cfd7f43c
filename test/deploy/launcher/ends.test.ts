/** The launcher's program ends with npm, and the launcher says how a program was ended. */
import { execFile, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { eventually } from "../../harness/service.ts"
import { root } from "../../harness/sources.ts"

const module = JSON.stringify(join(root, "deploy", "launcher", "run.mjs"))
/** A launcher that runs a shell; on Node, as the launcher is. */
const launcherOf = (script: string) =>
  `const { run } = await import(${module}); process.exitCode = await run("sh", ["-c", ${JSON.stringify(script)}])`
const argumentsOf = (script: string) => ["--input-type=module", "--eval", launcherOf(script)]

/** What the launcher prints and returns about a program that kills itself. */
const killedBy = (signal: string, env: Record<string, string> = {}) =>
  new Promise<readonly [code: unknown, stderr: string]>((resolve) =>
    execFile(
      "node",
      argumentsOf(`kill -${signal} $$`),
      { env: { ...process.env, ...env } },
      (error, _, stderr) => resolve([error?.code ?? 0, stderr]),
    )
  )

const lives = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

it("names the signal that ended its program, and exits with its number", async () => {
  const [code, text] = await killedBy("KILL", { WAVEPOSE_LOG_FORMAT: "" })
  expect(code).toBe(137)
  expect(text).toMatch(/^wavepose: the program was ended by SIGKILL\. The system may have run out of memory.*\n$/)
  expect((await killedBy("SEGV"))[0]).toBe(139)
})

it("writes the line as JSON where the log is", async () => {
  const [, text] = await killedBy("KILL", { WAVEPOSE_LOG_FORMAT: "json" })
  expect(JSON.parse(text)).toMatchObject({ level: "error", component: "launcher" })
})

it("ends its program when the shell that npm has started is killed", async () => {
  // The shell waits for the launcher, as that of npx does.
  const parent = spawn("sh", ["-c", `node "$@"; true`, "sh", ...argumentsOf("echo $$; exec sleep 600")], {
    env: { ...process.env, npm_lifecycle_event: "npx" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (bytes) => resolve(Number(bytes))))
  expect(lives(pid)).toBe(true)
  parent.kill("SIGTERM")
  await eventually(() => Promise.resolve(lives(pid)), (alive) => !alive)
})

it("starts the service in the place of npm's shell, so that npm's signals reach it", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(scripts.start).toMatch(/^exec node /)
})
