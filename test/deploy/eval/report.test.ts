import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { parseSeeds, sequencesMax } from "../../../deploy/eval/options.ts"
import { scoreboardPlot } from "../../../deploy/eval/plots.ts"
import { scoreboardJson } from "../../../deploy/eval/report-json.ts"
import { scoreboardText } from "../../../deploy/eval/report-text.ts"
import { loadDrawSvg } from "../../../deploy/eval/svg.ts"
import { keypointNames } from "../../../core/pose/skeleton.ts"
import { sigmaCurve } from "../../../sim/evaluation/calibration.ts"
import type { SuiteName } from "../../../sim/evaluation/suites.ts"
import type { SequenceRecord } from "../../../sim/evaluation/record.ts"
import { scoreboardOf } from "../../../sim/evaluation/scoreboard.ts"
import { tallyOf } from "../../../sim/evaluation/tally.ts"
import { estimated, person, sequence, standingAt } from "../../sim/evaluation/records.ts"

const certainty = {
  sigmaM: Float64Array.from({ length: 17 }, (_, joint) => 0.04 + 0.02 * joint),
  confidence: new Float64Array(17).fill(0.5),
}

const boardOf = (records: ReadonlyArray<SequenceRecord>, suite: SuiteName = "new-room") => {
  const tallies = records.map(tallyOf)
  return scoreboardOf(
    { suite, seeds: { first: 20_000, last: 20_000 + records.length - 1 }, seconds: 30 },
    tallies.map((tally, i) => ({
      seed: 20_000 + i,
      estimator: tally,
      baselines: {
        mean_pose: tally,
        class_mean: tally,
        mannequin: tally,
        mannequin_true_facing: tally,
        physics_only: tally,
        no_geometry: { reason: "No weights." },
      },
    })),
    20,
  )
}

/** Both wrists are 0.17 m too high. The mean error of the other joints is that of the position. */
const withRaisedWrists = (x: number): ReadonlyArray<number> =>
  standingAt(x, 2).map((value, at) => at === 3 * 9 + 2 || at === 3 * 10 + 2 ? value + 0.17 : value)

const walks = [0.2, 0.3].map((x) =>
  sequence(Array.from({ length: 40 }, () => ({
    truth: [person(1, 2, 2, "walking")],
    said: [estimated(1, 2 + x, 2, { certainty, keypoints: withRaisedWrists(2 + x) })],
  })))
)
const board = boardOf(walks)
const byPersons = boardOf(walks, "many-persons")
const nothing = boardOf([sequence([{ truth: [], said: [] }]), sequence([{ truth: [], said: [] }])])

describe("the report as JSON", () => {
  const json = JSON.parse(JSON.stringify(scoreboardJson(board, "wasm")))

  it("has the metrics of the estimator and of the baselines under the same names", () => {
    expect(json).toMatchObject({
      suite: "new-room",
      source: "simulated",
      seeds: "20000-20001",
      seed_range: "test",
      sequences: 2,
    })
    expect(json.metrics).toMatchObject({ mpjpe_pelvis_aligned_mm: 20, mota: 1, fall_recall: null })
    expect(json.baselines.mean_pose).toMatchObject({ mpjpe_pelvis_aligned_mm: 20, mota: null })
    expect(Object.keys(json.baselines)).toEqual([
      "mean_pose",
      "class_mean",
      "mannequin",
      "mannequin_true_facing",
      "physics_only",
      "no_geometry",
    ])
    expect(Object.keys(json.baselines.physics_only)).toEqual(Object.keys(json.metrics))
  })

  it("has every published metric", () => {
    for (
      const name of [
        "mpjpe_pelvis_aligned_mm",
        "mpjpe_pelvis_aligned_walking_mm",
        "mpjpe_absolute_mm",
        "pa_mpjpe_mm",
        "pelvis_error_median_m",
        "pck20_percent",
        "pck50_percent",
        "oks_ap",
        "count_exact_percent",
        "mota",
        "idf1",
        "hota",
        "activity_macro_f1",
        "fall_recall",
        "fall_precision",
        "fall_latency_p95_s",
        "false_person_minutes_per_day",
        "expected_calibration_error",
      ]
    ) expect(json.metrics, name).toHaveProperty(name)
  })

  it("has the metrics of each variant of a suite with several", () => {
    expect(json.variants).toEqual({})
    const { metrics, variants } = scoreboardJson(byPersons, "wasm")
    expect(Object.keys(variants)).toEqual(["1 person", "2 persons"])
    expect(variants["1 person"]).toMatchObject({
      sequences: 1,
      metrics: { location_error_median_m: expect.closeTo(0.2, 2) },
    })
    expect(variants["2 persons"]).toMatchObject({
      sequences: 1,
      metrics: { location_error_median_m: expect.closeTo(0.3, 2) },
    })
    expect(Object.keys(variants["1 person"]!.metrics)).toEqual(Object.keys(metrics))
  })

  it("has an interval for each metric, and a reason for each null", () => {
    const [low, high] = json.intervals.metrics.location_error_median_m
    expect(low).toBeLessThan(json.metrics.location_error_median_m)
    expect(high).toBeGreaterThan(json.metrics.location_error_median_m)
    expect(json.baselines.no_geometry).toBeNull()
    expect(json.reasons.baselines.no_geometry).toBe("No weights.")
    for (const [name, value] of Object.entries(json.metrics)) {
      expect(name in json.reasons.metrics, name).toBe(value === null)
    }
  })
})

describe("the report as text", () => {
  it("is a table with one row per metric, followed by the reasons of missing values", () => {
    const lines = scoreboardText(board).split("\n")
    expect(lines[1]).toContain("SIMULATED")
    const row = lines.find((line) => line.startsWith("mpjpe_pelvis_aligned_mm"))!
    expect(row.split(/ {2,}/)).toEqual(["mpjpe_pelvis_aligned_mm", "20", "20 .. 20", ...Array(5).fill("20"), "-"])
    expect(lines.find((line) => line.startsWith("- no_geometry"))).toContain("No weights.")
    expect(lines.find((line) => line.includes("fall_recall") && line.startsWith("-"))).toContain("No fall happened")
  })

  it("has a table of the suite's variants", () => {
    const lines = scoreboardText(byPersons).split("\n")
    const at = lines.findIndex((line) => line.startsWith("of the estimator"))
    expect(lines[at]!.split(/ {2,}/)).toEqual(["of the estimator (sequences)", "1 person (1)", "2 persons (1)"])
    const row = lines.slice(at).find((line) => line.startsWith("location_error_median_m"))!
    expect(row.split(/ {2,}/)).toEqual(["location_error_median_m", "0.203", "0.297"])
    expect(scoreboardText(board)).not.toContain("of the estimator (")
  })
})

describe("the plots", () => {
  const draw = (drawn: typeof board) =>
    Effect.runPromise(Effect.flatMap(loadDrawSvg, (drawSvg) => drawSvg(scoreboardPlot(drawn))))
  const count = (svg: string, mark: "bar" | "point" | "rect"): number =>
    svg.split(`aria-roledescription="${mark}"`).length - 1

  it("show each of the four panels, with text as text", async () => {
    const svg = await draw(board)
    for (const text of ["RMS error against predicted sigma", "Mean error by joint", "Mean error by activity"]) {
      expect(svg).toContain(`>${text}<`)
    }
    expect(svg).toContain(">Share of estimated counts, by actual count<")
    for (const name of keypointNames) expect(svg).toContain(`>${name.replace("_", " ")}<`)
    expect(count(svg, "bar")).toBe(keypointNames.length + 1)
    expect(count(svg, "point")).toBe(sigmaCurve(board.total).length)
    expect(svg).toContain(">100%<")
  })

  it("have no points or bars without values, but the reason", async () => {
    const svg = await draw(nothing)
    expect(count(svg, "bar") + count(svg, "point")).toBe(0)
    expect(svg).toContain(">No keypoint has a sigma.<")
    expect(svg).toContain(">No person was matched.<")
  })
})

describe("the seeds of the command line", () => {
  const parse = (text: string) => Effect.runSync(Effect.result(parseSeeds(text)))

  it("are a range or one seed", () => {
    expect(parse("20000-20023")).toMatchObject({ success: { first: 20_000, last: 20_023 } })
    expect(parse("7")).toMatchObject({ success: { first: 7, last: 7 } })
  })

  it("are rejected with a message if invalid", () => {
    for (const text of ["", "a", "5-", "9-3", "1-4294967296", "-3"]) {
      expect(parse(text)).toMatchObject({ failure: { message: expect.stringContaining("20000-20023") } })
    }
    expect(parse(`1-${sequencesMax + 1}`)).toMatchObject({
      failure: { message: expect.stringContaining(String(sequencesMax)) },
    })
  })
})
