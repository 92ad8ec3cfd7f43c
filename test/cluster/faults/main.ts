/**
 * `npm run faults`: injects all faults into two real nodes on PostgreSQL, prints a table and writes `test/bench/results/faults.json`.
 * `npm run faults -- EXPRESSION` injects those whose name matches the expression, and replaces their rows.
 *
 * Exit status 1: the checker found a violation, the rooms did not recover, or a limit was exceeded while the machine was quiet.
 */
import { readFileSync } from "node:fs"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { machine, rounded, writeResults } from "../../bench/harness.ts"
import { fullMatrix } from "./matrix.ts"
import { type FaultRow, runMatrix } from "./run-matrix.ts"
import { startFaultWorld } from "./world.ts"

/** A row with the load average of the machine when its fault was over. */
type StoredRow = FaultRow & { readonly load: number }

const file = fileURLToPath(new URL("../../bench/results/faults.json", import.meta.url))
const before = (): ReadonlyArray<StoredRow> => {
  try {
    return JSON.parse(readFileSync(file, "utf8")).faults
  } catch {
    return []
  }
}

const expression = new RegExp(process.argv[2] ?? "")
const asked = fullMatrix.filter(({ name }) => expression.test(name))
for (const { name, unavailable } of asked) if (unavailable) console.log(`skipped: ${name}: ${unavailable}`)
const world = await startFaultWorld({ ownDisk: true })
const rows = new Map(before().map((row) => [row.fault, row]))
const found = await runMatrix(world, asked.filter(({ unavailable }) => !unavailable), (row) => {
  const { exceeded, fault, isQuiet, limitMs, lostHops, silenceMs, violations } = row
  const said = [...violations, ...exceeded.map((one) => isQuiet ? one : `${one} (the machine was busy)`)]
  console.log(
    `${String(silenceMs ?? "-").padStart(7)} of ${limitMs} ms, ${lostHops} hops lost: ${fault}${
      said.map((one) => `\n            ${one}`).join("")
    }`,
  )
  rows.set(fault, { ...row, load: rounded(loadavg()[0]!) })
  const faults = fullMatrix.flatMap(({ name }) => rows.get(name) ?? [])
  writeResults("faults", { machine, faults })
})
await world.stop()
process.exit(found.every(({ isQuiet, violations, within }) => violations.length === 0 && (within || !isQuiet)) ? 0 : 1)
