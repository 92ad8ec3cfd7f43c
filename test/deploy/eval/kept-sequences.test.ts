import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { baselinesNotAsked } from "../../../deploy/estimation/estimators.ts"
import { openKeptSequences } from "../../../deploy/eval/kept-sequences.ts"
import type { TaskOf } from "../../../deploy/eval/task.ts"
import type { SequenceTallies } from "../../../sim/evaluation/scoreboard.ts"
import { tallyOf } from "../../../sim/evaluation/tally.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-kept-"))
const file = join(folder, "sequences.jsonl")
beforeEach(() => rmSync(file, { force: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const task = (seed: number): TaskOf<"judge"> => ({ kind: "judge", suite: "empty", seed, seconds: 60, baselines: false })

/** The tallies of an empty sequence of this many hops. */
const talliesOf = (seed: number, count: number): SequenceTallies => {
  const estimate = { persons: [], fallAlarms: 0, present: null, breathingBpm: null }
  const hops = Array.from({ length: count }, (_, i) => ({ timeS: i / 10, truth: [], estimate }))
  const reason = baselinesNotAsked
  return {
    seed,
    estimator: tallyOf({ hops, fallImpactsS: [] }),
    baselines: {
      mean_pose: reason,
      class_mean: reason,
      mannequin: reason,
      mannequin_true_facing: reason,
      physics_only: reason,
      no_geometry: reason,
    },
  }
}

describe("kept sequences", () => {
  it("are read again, each for its own task only", () => {
    const kept = openKeptSequences(file)
    expect(kept.of(task(20_000))).toBeNull()
    kept.add(task(20_000), talliesOf(20_000, 3))
    kept.add(task(20_001), talliesOf(20_001, 5))
    const again = openKeptSequences(file)
    expect(again.of(task(20_000))).toEqual(talliesOf(20_000, 3))
    expect(again.of(task(20_001))).toEqual(talliesOf(20_001, 5))
    expect(again.of({ ...task(20_000), seconds: 61 })).toBeNull()
    expect(again.of({ ...task(20_000), baselines: true })).toBeNull()
    expect(again.of({ ...task(20_000), suite: "falls" })).toBeNull()
  })

  it("lose a truncated line, and only that one", () => {
    const kept = openKeptSequences(file)
    kept.add(task(20_000), talliesOf(20_000, 3))
    kept.add(task(20_001), talliesOf(20_001, 5))
    writeFileSync(file, readFileSync(file, "utf8").slice(0, -20))
    const again = openKeptSequences(file)
    expect(again.of(task(20_001))).toBeNull()
    again.add(task(20_001), talliesOf(20_001, 5))
    expect(openKeptSequences(file).of(task(20_000))).toEqual(talliesOf(20_000, 3))
    expect(openKeptSequences(file).of(task(20_001))).toEqual(talliesOf(20_001, 5))
  })

  it("are rejected if a line has another version", () => {
    openKeptSequences(file).add(task(20_000), talliesOf(20_000, 3))
    appendFileSync(file, readFileSync(file, "utf8").replace(`"counts":[`, `"counts":[0,`))
    expect(() => openKeptSequences(file)).toThrow(/^line 2 of .*sequences\.jsonl is not a sequence of this version/)
  })
})
