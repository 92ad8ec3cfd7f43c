import { describe, expect, it } from "vitest"
import { type ActivityChange, createActivityFilter } from "../../../core/activity/activity.ts"
import type { ActivityLabel, TrackSample } from "../../../core/activity/sample.ts"
import { type NoiseOptions, type Part, samplesOf, standing, walking } from "./movements.ts"

const follow = (samples: ReadonlyArray<TrackSample>) => {
  const filter = createActivityFilter()
  const labels: Array<{ readonly timeS: number; readonly label: ActivityLabel; readonly confidence: number }> = []
  const changes: Array<ActivityChange> = []
  for (const sample of samples) {
    const { change, confidence, label } = filter.step(sample)
    labels.push({ timeS: sample.timeS, label, confidence })
    if (change !== null) changes.push(change)
  }
  return { labels, changes }
}

const story = (parts: ReadonlyArray<Part>, options: Partial<NoiseOptions> = {}) =>
  follow(samplesOf(parts, { seed: 4, sure: 0.6, ...options }))

const sitting = (seconds: number): Part => ({ seconds, state: "sitting", toM: 0.47 })
const lying = (seconds: number): Part => ({ seconds, state: "lying", toM: 0.3 })

const shareOf = (labels: ReturnType<typeof story>["labels"], label: ActivityLabel, fromS: number, toS: number) => {
  const within = labels.filter(({ timeS }) => timeS > fromS && timeS <= toS)
  return within.filter((each) => each.label === label).length / within.length
}

describe("the activity of a person", () => {
  it("follows the estimator with a delay of at most two seconds", () => {
    const { changes, labels } = story([walking(10), standing(10), sitting(1), sitting(19), lying(1), lying(19)])
    expect(shareOf(labels, "walking", 2, 10)).toBe(1)
    expect(shareOf(labels, "standing", 12, 20)).toBe(1)
    expect(shareOf(labels, "sitting", 22, 40)).toBe(1)
    expect(shareOf(labels, "lying", 42, 60)).toBe(1)
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      ["unknown", "walking"],
      ["walking", "standing"],
      ["standing", "sitting"],
      ["sitting", "lying"],
    ])
    for (const { confidence } of changes) expect(confidence).toBeGreaterThan(0.6)
  })

  it("is not changed by one wrong hop", () => {
    const samples = samplesOf([sitting(20)], { seed: 1, sure: 0.7, heights: false })
    const wrong = { walking: 0.9, standing: 0.025, sitting: 0.025, lying: 0.025, falling: 0.025 }
    const { changes, labels } = follow(
      samples.map((sample, i) => i === 100 || i === 140 ? { ...sample, activity: wrong } : sample),
    )
    expect(shareOf(labels, "sitting", 3, 20)).toBe(1)
    expect(changes).toHaveLength(1)
  })

  it("goes from lying to walking only by getting up", () => {
    const { labels } = story([lying(20), walking(10)], { heights: false })
    const seen = labels.filter(({ timeS }) => timeS > 10).map(({ label }) => label)
    const order = seen.filter((label, i) => label !== seen[i - 1])
    expect(order[0]).toBe("lying")
    expect(order.at(-1)).toBe("walking")
    expect(order.indexOf("walking")).toBeGreaterThan(1)
  })

  it("is unknown, without confidence, while the estimator is uncertain", () => {
    const { changes, labels } = story([sitting(20)], { sure: 0.2, heights: false })
    expect(new Set(labels.map(({ label }) => label))).toEqual(new Set(["unknown"]))
    expect(labels.at(-1)!.confidence).toBe(0)
    expect(changes).toEqual([])
  })

  it("is walking or unknown where only the speed is known", () => {
    const { changes, labels } = story([walking(10), standing(10), walking(10)], { sure: null, heights: false })
    expect(shareOf(labels, "walking", 4, 10)).toBe(1)
    expect(shareOf(labels, "walking", 14, 20)).toBe(0)
    expect(shareOf(labels, "walking", 24, 30)).toBe(1)
    expect(new Set(labels.map(({ label }) => label))).toEqual(new Set(["walking", "unknown"]))
    expect(changes).toHaveLength(1)
  })

  it("does not report a state shorter than 3 s as a change", () => {
    const parts = Array.from({ length: 10 }, () => [walking(1.5), standing(1.5)]).flat()
    expect(story(parts).changes.length).toBeLessThanOrEqual(1)
  })

  it("restarts after half a minute of silence", () => {
    const before = samplesOf([sitting(10)], { seed: 1, sure: 0.7 })
    const after = samplesOf([sitting(1)], { seed: 1, sure: 0.2, heights: false, startS: 45 })
    expect(follow([...before, ...after]).labels.at(-1)!.label).toBe("unknown")
  })
})
