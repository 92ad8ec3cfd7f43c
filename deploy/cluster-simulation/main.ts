/**
 * `npm run faults -- --seeds 1000`: runs simulated clusters, a seed each, and prints what the checker finds.
 *
 * `--seed N` repeats one seed and prints its journal; `--from N` begins at another seed; `--without-fence` plants a bug. Exit status 1: a
 * seed has violations.
 */
import process from "node:process"
import { parseArgs } from "node:util"
import { describePlan } from "../../sim/cluster/plan.ts"
import { type Outcome, runSeed } from "./run-seed.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "50" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    "without-fence": { type: "boolean", default: false },
  },
})

const options = { fenced: !values["without-fence"] }

const report = ({ plan, violations }: Outcome): void => {
  console.log(describePlan(plan))
  for (const violation of violations) console.log(`  ${violation}`)
}

if (values.seed !== undefined) {
  const outcome = runSeed(Number(values.seed), options)
  console.log(outcome.journal)
  report(outcome)
  process.exit(outcome.violations.length === 0 ? 0 : 1)
}

const from = Number(values.from)
const seeds = Number(values.seeds)
const before = process.cpuUsage()
let violating = 0
let frames = 0
let lostHops = 0
for (let seed = from; seed < from + seeds; seed++) {
  const outcome = runSeed(seed, options)
  frames += outcome.frames
  lostHops += outcome.lostHops
  if (outcome.violations.length > 0) {
    violating++
    report(outcome)
  }
}
const { system, user } = process.cpuUsage(before)
console.log(
  JSON.stringify({
    from,
    seeds,
    violating,
    frames,
    lostHops,
    cpuMsPerSeed: Math.round((user + system) / 1000 / seeds),
  }),
)
process.exit(violating === 0 ? 0 : 1)
