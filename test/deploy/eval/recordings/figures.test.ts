import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../../core/formats/csi-batch.ts"
import { hopUs } from "../../../../core/observation/observation.ts"
import type { Capture } from "../../../../deploy/eval/recordings/captures.ts"
import type { LabelSpan } from "../../../../deploy/eval/recordings/labels.ts"
import { movingVarianceLearning, ownLearning } from "../../../../deploy/eval/recordings/detectors.ts"
import { movingVariances, movingVarianceThreshold } from "../../../../deploy/eval/recordings/moving-variance.ts"
import { areaUnderCurve, presenceFigures } from "../../../../deploy/eval/recordings/presence-figures.ts"
import { recordingsJson, recordingsText } from "../../../../deploy/eval/recordings/report.ts"
import { recordingsBoard } from "../../../../deploy/eval/recordings/scoreboard.ts"
import { scene, walker } from "../../../harness/scene.ts"

const hop = (state: "empty" | "moving", present: boolean | null, motion: number | null = 0) => ({
  hop: 0,
  state,
  present,
  motion,
})

describe("figures of presence", () => {
  it("are shares of judged time", () => {
    const figures = presenceFigures([
      hop("empty", true),
      hop("empty", false),
      hop("empty", false),
      hop("empty", null),
      hop("moving", true, 0.5),
      hop("moving", null, null),
    ])
    expect(figures.falsePresentPercent).toBeCloseTo(100 / 3, 6)
    expect(figures).toMatchObject({
      movingPresentPercent: 100,
      stillPresentPercent: null,
      emptyCoveragePercent: 75,
      movingCoveragePercent: 50,
      motionAuc: 1,
    })
  })

  it("count ties in the area under the curve as one half", () => {
    expect(areaUnderCurve([1, 2], [2, 3])).toBeCloseTo(3.5 / 4, 9)
    expect(areaUnderCurve([1, 1], [1])).toBe(0.5)
    expect(areaUnderCurve([], [1])).toBeNull()
  })
})

const span = (state: LabelSpan["state"], fromS = 0, untilS = Infinity, rate: number | null = null): LabelSpan => ({
  fromS,
  untilS,
  state,
  breathingPerMinute: rate,
})

const capture = (
  name: string,
  batches: ReadonlyArray<CsiBatch>,
  state: LabelSpan["state"],
  untilS = Infinity,
): Capture => ({
  name,
  batches,
  label: {
    room: name.slice(0, 1),
    link: name.slice(0, 1),
    spans: [span(state, 0, untilS)],
  },
})

const room = (seed: number, occupied: boolean) => [
  ...scene({
    seconds: 20,
    rateHz: 50,
    seed,
    movers: occupied ? (size, random) => [walker(size, random("walk"))] : () => [],
  }),
]

describe("moving variance", () => {
  it("is judged over a night of recording", () => {
    const [template] = room(1, false)
    const { frameCount } = template!
    const night = Array.from({ length: Math.ceil(130_000 / frameCount) }, (_, i): CsiBatch => ({
      ...template!,
      timestampsUs: Float64Array.from({ length: frameCount }, (_, frame) => (i * frameCount + frame) * hopUs),
    }))
    const { quietStart } = movingVarianceLearning([capture("a/night", night, "empty")])
    expect(quietStart[0]!.hops.length).toBeGreaterThan(129_000)
  })

  it("is calibrated by the start of a recording only where that is labelled empty", () => {
    const batches = room(1, true)
    const labelled = (...spans: ReadonlyArray<LabelSpan>): Capture => ({
      name: "a",
      batches,
      label: { room: "a", link: "a", spans },
    })
    const hopsOf = (...spans: ReadonlyArray<LabelSpan>) =>
      movingVarianceLearning([labelled(...spans)]).quietStart.flatMap(({ hops }) => hops)
    expect(hopsOf(span("moving"))).toEqual([])
    expect(hopsOf(span("empty", 0, 9), span("moving", 9))).toEqual([])
    const hops = hopsOf(span("empty", 0, 10), span("moving", 10))
    expect(hops.length).toBeGreaterThan(90)
    expect(hops.every(({ hop, state, present }) => hop >= 100 && state === "moving" && present !== null)).toBe(true)
  })

  it("is larger while a person walks, and its threshold is above a quiet site's", () => {
    const quiet = [...movingVariances(room(1, false)).values()]
    const threshold = movingVarianceThreshold(quiet)!
    expect(quiet.filter((variance) => variance > threshold).length).toBeLessThan(0.05 * quiet.length)
    const walking = [...movingVariances(room(1, true)).values()]
    expect(walking.filter((variance) => variance > threshold).length).toBeGreaterThan(0.8 * walking.length)
    expect(movingVarianceThreshold([])).toBeNull()
  })
})

describe("the calibration on another recording", () => {
  it("is on one that is labelled empty from its start to its end", () => {
    const whole = capture("a/empty", room(1, false), "empty")
    const half = capture("a/half", room(2, false), "empty", 10)
    for (const { leaveRecordingOut } of [ownLearning([whole, half]), movingVarianceLearning([whole, half])]) {
      expect(leaveRecordingOut.map(({ capture }) => capture.name)).toEqual(["a/half"])
    }
  })
})

describe("scoreboard on recordings", () => {
  it("judges each learning of both detectors, as a table and as JSON", () => {
    const board = recordingsBoard([
      capture("a/empty1", room(1, false), "empty"),
      capture("a/empty2", room(1, false), "empty"),
      capture("a/walk", room(1, true), "moving"),
      capture("b/empty", room(2, false), "empty"),
    ])
    expect(board).toMatchObject({ recordings: 4, rooms: 2 })
    const [own, published] = board.detectors
    expect(own!.means.nothing.falsePresentPercent).toBe(0)
    expect(own!.means.leaveRecordingOut.movingPresentPercent).toBe(100)
    expect(published!.means.leaveRecordingOut.movingPresentPercent).toBeGreaterThan(80)
    // Room b has no moving time, so that no threshold can be fitted for room a; b itself has only empty time.
    for (const { means: { leaveRoomOut } } of [own!, published!]) {
      expect(leaveRoomOut).toMatchObject({ falsePresentPercent: expect.any(Number), movingPresentPercent: null })
    }
    const text = recordingsText(board, {
      unlabelled: ["x"],
      unreadable: [],
      faulty: [{ name: "y", packets: 5, faults: 90 }],
    })
    expect(text).toContain("| wavepose: nothing learned |")
    expect(text).not.toContain("| MVS: nothing learned |")
    expect(own!.counts).toEqual({ nothing: 4, quietStart: 3, leaveRecordingOut: 3, leaveRoomOut: 1 })
    expect(own!.intervals.nothing.falsePresentPercent).toEqual([0, 0])
    expect(board.surrogates.find(({ name }) => name === "half of the packets lost")!.figures.falsePresentPercent).toBe(
      0,
    )
    expect(text).toContain("| one subcarrier in four | 0.0 |")
    expect(text).toContain("Not judged: 1 files without a label")
    expect(text).toContain("read in part: 1 files (y: 90 faults, 5 packets)")
    expect(recordingsJson(board)).toMatchObject({
      source: "recorded",
      detectors: { wavepose: { nothing_learned: { false_present_percent: 0 } } },
      breathing: { "a/walk": { counted_bpm: [] } },
    })
  })
})
