/**
 * The installation: the packages of the lock file by npm, with one line of progress, and what the first start needs.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npmFailure } from "./npm-failure.mjs"
import { installed, marker, root } from "./places.mjs"
import { deno, runRead } from "./run.mjs"
import { say } from "./say.mjs"
import { serviceProgram } from "./service.mjs"

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

/** npm is stopped after this many failed fetches without a successful one, because it would continue for a minute. */
const failuresMax = 8

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
 * Builds what the first start needs: the kernels, the template of a database and the bundle. What is built already takes a moment.
 *
 * @param {(line: string) => void} onStep is called with what takes long
 * @returns {Promise<ReadonlyArray<string>>} what could not be built; the service works without it
 */
export const prepare = async (onStep) => {
  const faults = []
  await runRead(deno(), ["run", "--quiet", "-A", join(root, "deploy", "prepare.ts")], (line) => {
    if (line.includes("(only the first time)")) onStep(line)
    else faults.push(line.replace(/^wavepose: /, ""))
  })
  // Deno analyses the program here and not in the service, which would keep the memory of it.
  await runRead(deno(), ["cache", "--quiet", await serviceProgram()], () => undefined)
  return faults
}

/** Installs the packages, unless npm has done so, and prepares the first start, unless this was done before. */
export const install = async () => {
  const basis = installed ? join(root, "package.json") : join(root, "package-lock.json")
  const lock = createHash("sha256").update(readFileSync(basis)).digest("hex")
  if (existsSync(marker) && readFileSync(marker, "utf8") === lock) return
  const what = installed ? "wavepose: preparing the first start" : "wavepose: installing packages (only the first time)"
  const step = stepOnScreen(what)
  if (!installed) await installPackages(step, what)
  const faults = await prepare(step.update)
  step.end("wavepose: the packages are installed")
  for (const fault of faults) say("error", fault)
  writeFileSync(marker, lock)
}
