/**
 * The service's program: which file it is, with which permissions it runs, and with which options of the engine.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { openCommand } from "../console/open-command.mjs"
import { here, root } from "./places.mjs"
import { setShare } from "./processor-share.mjs"
import { deno, run } from "./run.mjs"

/**
 * The file that runs the service's commands: the bundle (`deploy/bundle/build.mjs`), which takes less memory and starts sooner. Where none can be made,
 * because the bundler is not installed or the folder is read-only, the sources do the same.
 */
export const serviceProgram = async () => {
  try {
    return await (await import(pathToFileURL(join(root, "deploy", "bundle", "build.mjs")).href)).buildService()
  } catch {
    return join(root, "deploy", "main.ts")
  }
}

/** Deno's permissions of the service, which may also run `programs`. The tests use the same. */
const permissions = (programs) =>
  JSON.parse(readFileSync(join(root, "deploy", "permissions.json"), "utf8")).map((flag) =>
    flag.replace("{deno}", [deno(), ...programs].join(","))
  )

/** Whether these arguments are a command of this noun and verb. */
export const isCommand = (args, noun, verb) => args[0] === noun && args[1] === verb

/** The program that opens the browser, if the command line asks for it. */
const opener = (args) =>
  isCommand(args, "service", "start") && args.includes("--open") ? [openCommand(process.platform, "").program] : []

/**
 * Options of V8 for the service and its child processes. A young generation of 4 MiB per half instead of 16 saves 50 to 100 MB in all and
 * costs no CPU time (`npm run bench:frames`). An old generation is collected when it has grown by 40 %, not by 200 %: that saves 80 MB of
 * the default home and costs one hundredth of a core. The garbage of the start is collected on request (`actors/runtime/free-memory.ts`). A
 * variable of the user's own replaces it.
 */
const engine = { DENO_V8_FLAGS: "--max-semi-space-size=4,--heap-growing-percent=40,--expose-gc" }

/** The niceness of the sessions of a service that starts, which `deploy/README.md` describes; the service itself rejects another text. */
const nicenessOf = (args) => isCommand(args, "service", "start") ? Number(process.env.WAVEPOSE_NICENESS || -7) : 0

/** Runs a program with the service's permissions. */
export const runProgram = (program, args) =>
  run(deno(), [
    "run",
    "--quiet",
    `--config=${join(root, "deno.json")}`,
    // An operation without permission fails. Deno must not prompt on the terminal.
    "--no-prompt",
    // Deno opens devices, such as a serial line, only with all permissions.
    ...(isCommand(args, "node", "serial") ? ["--allow-all"] : permissions(opener(args))),
    program,
    ...args,
  ], { cwd: here, variables: engine, started: (pid) => setShare(pid, program, nicenessOf(args)) })
