/**
 * The tests: the projects of `vitest.config.ts` on Deno, and some of them on Node as well, with one summary.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./places.mjs"
import { deno, nodeMinimum, recentNode, run } from "./run.mjs"

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

/** @param filters the arguments of the command line */
export const tests = async (filters) => {
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
