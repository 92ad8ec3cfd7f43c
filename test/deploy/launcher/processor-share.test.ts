/** The launcher gives the sessions of the service a larger share of the processor, and that of the terminal its usual one at the end. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { setShare } from "../../../deploy/launcher/processor-share.mjs"
import { eventually } from "../../harness/service.ts"
import { root } from "../../harness/sources.ts"

const isAllowed = spawnSync("setsid", ["--wait", "sh", "-c", "echo -1 > /proc/self/autogroup"]).status === 0

const nicenessOf = (pid: number) => /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"))![1]
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter((child) => child !== "").map(Number)
const argumentsOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")

let parent: ChildProcess | null = null
afterEach(() => {
  if (parent === null) return
  for (const child of childrenOf(parent.pid!)) process.kill(child, "SIGKILL")
  parent.kill("SIGKILL")
  parent = null
})

it.skipIf(!isAllowed)("changes the sessions of a process and of its children that run the same program", async () => {
  // Until this process ends.
  const waits = "read line <&3"
  const script = `exec 3<&0; setsid sh -c '${waits}' service.ts & setsid sh -c '${waits}' plugin.ts & ${waits}`
  parent = spawn("sh", ["-c", script, "service.ts"], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  const own = parent.pid!
  // Only once setsid has become the shell: before, the child is still in the session of its parent.
  const isShellOf = (program: string, [command, , line, name]: string[]) =>
    command === "sh" && line === waits && name === program
  const childWith = (program: string) => childrenOf(own).find((child) => isShellOf(program, argumentsOf(child)))
  await eventually(
    () => Promise.resolve(["service.ts", "plugin.ts"].map(childWith)),
    (children) => !children.includes(undefined),
  )
  const end = setShare(own, "service.ts", -3)
  expect([own, childWith("service.ts")!, childWith("plugin.ts")!].map(nicenessOf)).toEqual(["-3", "-3", "0"])
  end()
})

it.skipIf(!isAllowed)(
  "gives the session of the launcher its usual share at the end, and leaves one that somebody has set",
  () => {
    const module = join(root, "deploy", "launcher", "processor-share.mjs")
    const script = `
    import { readFileSync, writeFileSync } from "node:fs"
    import { setShare } from ${JSON.stringify(module)}
    const read = () => readFileSync("/proc/self/autogroup", "utf8").trim().split(" ").at(-1)
    const end = setShare(process.pid, "service.ts", -3)
    const during = read()
    end()
    const after = read()
    writeFileSync("/proc/self/autogroup", "-1")
    setShare(process.pid, "service.ts", -3)()
    console.log(during, after, read())`
    const evaluate = "Deno" in globalThis ? ["eval"] : ["--input-type=module", "--eval"]
    const output = execFileSync("setsid", ["--wait", process.execPath, ...evaluate, script], { encoding: "utf8" })
    expect(output.trim()).toBe("-3 0 -1")
  },
)
