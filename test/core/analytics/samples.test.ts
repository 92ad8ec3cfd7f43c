import { describe, expect, it } from "vitest"
import { createSampleRing, type NodeSample, ratesBetween, thinned } from "../../../core/analytics/samples.ts"

const sample = (atMs: number, over: Partial<NodeSample> = {}): NodeSample => ({
  atMs,
  framesPerSecond: null,
  averageLatencyMs: null,
  cpuUsage: null,
  loopLagMs: 0,
  requests: 0,
  errors: 0,
  elapsedMs: 0,
  diskReadBytes: null,
  diskWrittenBytes: null,
  ...over,
})

describe("rates between two samples", () => {
  it("are over their time and their requests", () => {
    const from = sample(0, { requests: 10, errors: 1, elapsedMs: 100, diskReadBytes: 0, diskWrittenBytes: 5e6 })
    const to = sample(10_000, { requests: 30, errors: 6, elapsedMs: 200, diskReadBytes: 2e7, diskWrittenBytes: 5e6 })
    expect(ratesBetween(from, to)).toEqual({
      requestsPerSecond: 2,
      responseTimeMs: 5,
      errorRate: 0.25,
      diskReadMbps: 2,
      diskWrittenMbps: 0,
    })
  })

  it("are null without time, without requests, and for unknown values of the platform", () => {
    expect(ratesBetween(sample(5), sample(5))).toEqual({
      requestsPerSecond: null,
      responseTimeMs: null,
      errorRate: null,
      diskReadMbps: null,
      diskWrittenMbps: null,
    })
  })
})

describe("the ring", () => {
  it("keeps the last samples and finds those of a range", () => {
    const ring = createSampleRing(3)
    expect([ring.oldest(), ring.since(0, 10)]).toEqual([null, null])
    for (const atMs of [10, 20, 30, 40]) ring.add(sample(atMs))
    expect(ring.oldest()?.atMs).toBe(20)
    expect(ring.within({ fromMs: 30, toMs: 40 }).map(({ atMs }) => atMs)).toEqual([30])
    expect(ring.since(45, 15)?.atMs).toBe(30)
    expect(ring.since(1000, 15)?.atMs).toBe(40)
  })
})

describe("a history", () => {
  it("is reduced to means of known values", () => {
    const samples = [4, 8, null, 2, null, null].map((framesPerSecond, i) => sample(i, { framesPerSecond }))
    expect(thinned(samples, 3)).toEqual([
      { atMs: 0, framesPerSecond: 6, averageLatencyMs: null, cpuUsage: null },
      { atMs: 2, framesPerSecond: 2, averageLatencyMs: null, cpuUsage: null },
      { atMs: 4, framesPerSecond: null, averageLatencyMs: null, cpuUsage: null },
    ])
    expect(thinned(samples, 100)).toHaveLength(6)
    expect(thinned([], 3)).toEqual([])
  })
})
