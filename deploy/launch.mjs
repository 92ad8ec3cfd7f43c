#!/usr/bin/env node
/**
 * The launcher of the project on any machine with Node >= 20 and npm: installs the packages of the lock file, then runs the
 * command on Deno. It is plain JavaScript without dependencies, because it runs before they are installed.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expandShortcut } from "./command-line/shortcuts.mjs"
import { install, prepare } from "./launcher/install.mjs"
import { root } from "./launcher/places.mjs"
import { deno, recentNode, run, runOurs } from "./launcher/run.mjs"
import { say } from "./launcher/say.mjs"
import { isCommand, runProgram, serviceProgram } from "./launcher/service.mjs"
import { tests } from "./launcher/tests.mjs"

const [command, ...filters] = process.argv.slice(2)
const args = expandShortcut(process.argv.slice(2))

/** Checks format, lint, the gRPC contract and types, the fastest first. */
const checks = async () => {
  const node = recentNode() ?? process.execPath
  const typescript = join(root, "node_modules", "typescript", "bin", "tsc")
  return await run(deno(), ["fmt", "--check"]) ||
    await run(deno(), ["lint"]) ||
    await run(node, [join(root, "node_modules", "oxlint", "bin", "oxlint"), "--quiet", root]) ||
    await runOurs(["deploy", "proto", "check.ts"]) ||
    await run(node, [typescript, "--noEmit"]) ||
    await run(node, [typescript, "--noEmit", "--project", join(root, "gateways", "console", "web")])
}

/** Runs all checks and tests. */
const ok = async () => await checks() || await tests(filters)

/** Runs a bench by name: `bench decode 5` runs `test/bench/decode.ts` with the argument 5. Without a name it runs all, into one table. */
const bench = () => {
  const [name, ...rest] = filters.length === 0 || filters[0] === "table" ? ["all", ...filters] : filters
  return runOurs(["test", "bench", `${name}.ts`], rest)
}

/** Injects faults into two real nodes, or, with `--seeds N` or `--seed N`, into simulated clusters. */
const faults = () => {
  const simulated = filters.some((filter) => filter.startsWith("--seed"))
  return runOurs(
    simulated ? ["deploy", "cluster-simulation", "main.ts"] : ["test", "cluster", "faults", "main.ts"],
    filters,
  )
}

/** Commands that serve, test or measure the console. */
const withConsole = new Set(["test", "ok", "bench", "screenshots"])

/** Bundles the console if its sources have changed; without it the service runs, and its page says what is missing. False without one. */
const prepareConsole = async () => {
  try {
    await (await import(pathToFileURL(join(root, "deploy", "console", "build.mjs")).href)).buildConsole()
    return true
  } catch (error) {
    // Errors of the file system have a code, and do not say what to do.
    const advice = error.code === undefined
      ? ""
      : `. The service runs without it. Run \`node deploy/launch.mjs install\` as a user who may write to ${root}`
    say("error", `the console could not be built: ${error.message}${advice}`)
    return false
  }
}

/** Builds all that a start needs, so that the folder may be read-only from then on. The packages are installed. */
const installAll = async () => {
  for (const fault of await prepare(() => undefined)) say("error", fault)
  if (!await prepareConsole()) return 1
  say("info", "the console and the service are built")
  return 0
}

/** The commands of the launcher and of developers; all others are the service's. */
const own = {
  install: installAll,
  test: () => tests(filters),
  checks,
  ok,
  bench,
  faults,
  /** Checks the served documents with tools of other projects, or generates the clients. */
  contract: () => runOurs(["test", "contract", "main.ts"], filters),
  /** Writes the `.proto` files of the REST operations. */
  proto: () => runOurs(["deploy", "proto", "main.ts"]),
  /** Makes the pictures of the documentation. */
  screenshots: () => runOurs(["test", "browser", "screenshots.ts"]),
  eval: () => runProgram(join(root, "deploy", "eval", "main.ts"), filters),
}

await install()
if (withConsole.has(command) || isCommand(args, "service", "start")) await prepareConsole()
process.exitCode = await (own[command] ?? (async () => await runProgram(await serviceProgram(), args)))()
