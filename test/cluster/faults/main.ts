/**
 * `npm run faults`: injects all faults into two real nodes on PostgreSQL and prints a table. Writes `test/bench/results/faults.json`.
 * `npm run faults -- EXPRESSION` injects those whose name matches the expression, and writes nothing.
 *
 * Exit status 1: the checker found a violation.
 */
import { loadavg } from "node:os"
import { machine, rounded, writeResults } from "../../bench/harness.ts"
import { fullMatrix, runMatrix } from "./matrix.ts"
import { startFaultWorld } from "./world.ts"

const backgroundLoad = rounded(loadavg()[0]!)
const world = await startFaultWorld()
const text = process.argv[2] ?? ""
const cases = fullMatrix.filter(({ name }) => new RegExp(text).test(name))
const rows = await runMatrix(world, cases, ({ fault, silenceMs, violations }) => {
  console.log(
    `${String(silenceMs).padStart(7)} ms  ${fault}${violations.length === 0 ? "" : `: ${violations.join("; ")}`}`,
  )
})
await world.stop()
if (text === "") writeResults("faults", { machine, backgroundLoad, faults: rows })
process.exit(rows.every(({ violations }) => violations.length === 0) ? 0 : 1)
