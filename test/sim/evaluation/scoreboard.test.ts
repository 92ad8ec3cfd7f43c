import { describe, expect, it } from "vitest"
import { scoreboardOf, type SequenceTallies } from "../../../sim/evaluation/scoreboard.ts"
import { talliesOff } from "./records.ts"

describe("the scoreboard", () => {
  const sequences = talliesOff([0.1, 0.5, 0.9]).map((tally, i): SequenceTallies => ({
    seed: 20_000 + i,
    estimator: tally,
    baselines: {
      mean_pose: tally,
      class_mean: tally,
      mannequin: tally,
      mannequin_true_facing: tally,
      physics_only: tally,
      no_geometry: { reason: "none yet" },
    },
  }))
  const seeds = { first: 20_000, last: 20_002 }

  it("is independent of the order of sequences", () => {
    const board = scoreboardOf({ suite: "new-room", seeds, seconds: 30 }, sequences, 50)
    expect(scoreboardOf({ suite: "new-room", seeds, seconds: 30 }, [sequences[2]!, sequences[0]!, sequences[1]!], 50))
      .toEqual(board)
    expect(board).toMatchObject({ range: "test", sequences: 3 })
    expect(board.estimator.values["mpjpe_absolute_mm"]).toBeCloseTo(500, 6)
  })

  it("has a reason for every null, and for a baseline that cannot run", () => {
    const { baselines, estimator } = scoreboardOf({ suite: "new-room", seeds, seconds: 30 }, sequences, 50)
    expect(baselines.no_geometry).toEqual({ reason: "none yet" })
    for (const side of [estimator, baselines.mean_pose, baselines.physics_only]) {
      if ("reason" in side) throw new Error(side.reason)
      for (const [name, value] of Object.entries(side.values)) {
        expect(value === null, name).toBe(typeof side.reasons[name] === "string" && side.reasons[name].length > 10)
      }
    }
    expect(baselines.mean_pose).toMatchObject({ values: { mpjpe_absolute_mm: expect.closeTo(500, 6), mota: null } })
  })

  it("has separate figures of each variant among the seeds", () => {
    const { estimator, variants } = scoreboardOf({ suite: "many-persons", seeds, seconds: 30 }, sequences, 50)
    expect(variants.map(({ name, sequences }) => [name, sequences])).toEqual([
      ["1 person", 1],
      ["2 persons", 1],
      ["3 persons", 1],
    ])
    expect(variants.map(({ values }) => Math.round(values["mpjpe_absolute_mm"]!))).toEqual([100, 500, 900])
    expect(Object.keys(variants[0]!.values)).toEqual(Object.keys(estimator.values))
    expect(scoreboardOf({ suite: "new-room", seeds, seconds: 30 }, sequences, 50).variants).toEqual([])
  })
})
