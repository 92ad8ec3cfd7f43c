import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../../core/formats/csi-batch.ts"
import { hopUs } from "../../../../core/observation/observation.ts"
import { breathingFigures } from "../../../../deploy/eval/recordings/breathing-figures.ts"
import type { Capture } from "../../../../deploy/eval/recordings/captures.ts"
import { movingVarianceLearning } from "../../../../deploy/eval/recordings/detectors.ts"
import type { LabelSpan } from "../../../../deploy/eval/recordings/labels.ts"
import { presenceFigures } from "../../../../deploy/eval/recordings/presence-figures.ts"
import {
  judgeHops,
  judgeSeconds,
  reduceCalibrated,
  reduceCapture,
  type Reduced,
} from "../../../../deploy/eval/recordings/replay.ts"
import { scene } from "../../../harness/scene.ts"
import { noVitals } from "../../../harness/vitals.ts"

const span = (state: LabelSpan["state"], fromS = 0, untilS = Infinity, rate: number | null = null): LabelSpan => ({
  fromS,
  untilS,
  state,
  breathingPerMinute: rate,
})

const capture = (batches: ReadonlyArray<CsiBatch>, ...spans: ReadonlyArray<LabelSpan>): Capture => ({
  name: "a",
  batches,
  label: { room: "a", link: "a", spans },
})

const empty = (seconds: number): ReadonlyArray<CsiBatch> => [...scene({ seconds, rateHz: 50, seed: 1 })]

const later = (batches: ReadonlyArray<CsiBatch>, seconds: number): ReadonlyArray<CsiBatch> =>
  batches.map((batch) => ({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + 1e6 * seconds) }))

describe("time of a capture", () => {
  it("contains a silence, in which no detector answers for long", () => {
    const gap = capture([...empty(20), ...later(empty(20), 3600)], span("empty"))
    const { nothing: _, quietStart: [published] } = movingVarianceLearning([gap])
    const own = judgeHops(reduceCapture(gap))
    expect([own.length, published!.hops.length]).toEqual([36_200, 36_100])
    for (const hops of [own, published!.hops]) {
      expect(presenceFigures(hops).emptyCoveragePercent).toBeGreaterThan(0.4)
      expect(presenceFigures(hops).emptyCoveragePercent).toBeLessThan(2)
    }
    expect(judgeSeconds(reduceCapture(gap))).toHaveLength(3620)
  })

  it("lasts until the end of its label, and not while a clock is set", () => {
    expect(judgeHops(reduceCapture(capture(empty(20), span("empty", 0, 100))))).toHaveLength(1000)
    const set = capture([...empty(20), ...later(empty(20), 1.7e9)], span("empty"))
    expect(judgeHops(reduceCapture(set)).length).toBeLessThan(1000)
  })
})

describe("a calibration before a capture", () => {
  it("ends with its own recording, even if that has a silence", () => {
    const calibration = capture([...empty(40), ...later(empty(20), 160)], span("empty"))
    const { firstHop, observations } = reduceCalibrated(capture(empty(20), span("moving")), calibration)!
    expect(observations.find(({ hop }) => hop >= firstHop)!.calibrated).toBe(true)
  })

  it("is none if it does not end", () => {
    const unusable = later(empty(20), 20).map((batch) => ({ ...batch, csi: new Float32Array(batch.csi.length) }))
    const calibration = capture([...empty(20), ...unusable], span("empty"))
    expect(reduceCalibrated(capture(empty(20), span("moving")), calibration) === null).toBe(true)
  })
})

describe("breathing rates", () => {
  /** A capture of four minutes with a rate in every second. */
  const rated = (rateOf: (second: number) => number, ...spans: ReadonlyArray<LabelSpan>): Reduced => {
    const second = empty(1)
    const batches = [...second, ...later(second, 239)]
    const [template] = reduceCapture(capture(second, span("empty"))).observations
    return {
      capture: capture(batches, ...spans),
      firstHop: 0,
      observations: Array.from({ length: 240 }, (_, i) => ({
        ...template!,
        hop: i * 1e6 / hopUs,
        links: template!.links.map((link) => ({
          ...link,
          vitals: { ...noVitals, breathingRateBpm: rateOf(i), breathingConfidence: 0.9, breathingReason: null },
        })),
      })),
    }
  }
  const figuresOf = (reduced: Reduced) => breathingFigures(reduced.capture, judgeSeconds(reduced))

  it("are judged by the rate that was counted in their part of the file", () => {
    const figures = figuresOf(
      rated((second) => second < 130 ? 15 : 24, span("still", 0, 120, 15), span("still", 120, 240, 24)),
    )
    expect(figures).toMatchObject({ countedBpm: [15, 24], seconds: 180, answeredPercent: 100, wrongSeconds: 0 })
    expect(figures.medianErrorBpm).toBe(0)
  })

  it("are wrong in an empty room, whatever is counted later", () => {
    const figures = figuresOf(rated(() => 15, span("empty", 0, 120), span("still", 120, 240, 15)))
    expect(figures).toMatchObject({ seconds: 60, wrongSeconds: 0, emptySeconds: 120 })
  })

  it("of a moving person are not judged by a rate that was counted at rest", () => {
    const figures = figuresOf(rated((second) => second < 180 ? 15 : 20, span("still", 0, 120, 15), span("moving", 120)))
    expect(figures.wrongSeconds).toBe(0)
  })
})
