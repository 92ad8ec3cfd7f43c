/** The timing of an environment: the age of its newest hop and frame, and when frames turn stale. */
import { describe, expect, it } from "vitest"
import { environmentTiming } from "../../../actors/environment/timing.ts"
import type { Provenance } from "../../../protocols/domain/provenance.ts"

const startMs = 1_700_000_000_000
const provenance = (source: Provenance["source"]): Provenance => ({
  source,
  calibrated: true,
  modelVersion: "m",
  linksUsed: 1,
})

/** Hops of ten seconds whose frames are shown as they arrive, `lagMs` after their end. */
const run = (source: Provenance["source"], lagMs: (ms: number) => number) => {
  const timing = environmentTiming()
  const turns: Array<readonly [ms: number, turn: string]> = []
  let frame = { timestampMs: startMs, provenance: provenance(source) }
  for (let ms = 0; ms <= 10_000; ms += 100) {
    const arrivedMs = startMs + ms + lagMs(ms)
    timing.completed(source, startMs + ms, arrivedMs)
    frame = { timestampMs: startMs + ms, provenance: timing.stamped(provenance(source)) }
    const turn = timing.published(frame, arrivedMs + 50)
    if (turn !== null) turns.push([ms, turn])
  }
  return { timing, turns, frame, atMs: startMs + 10_000 + lagMs(10_000) }
}

describe("the timing of an environment", () => {
  it("has no ages before the first hop and after a reset", () => {
    const { frame, timing } = run("live", () => 0)
    timing.reset()
    for (const one of [timing, environmentTiming()]) {
      expect(one.read(null, startMs)).toEqual({ frameAgeMs: null, observationAgeMs: null, source: null })
    }
    expect(timing.stamped(frame.provenance)).toBe(frame.provenance)
  })

  it("measures the age of a simulation that falls behind, and reports when frames turn stale and on time again", () => {
    const { atMs, frame, timing, turns } = run("simulated", (ms) => ms < 3_000 ? 4 * ms : ms < 6_000 ? 12_000 : 100)
    expect(turns).toEqual([[2_500, "stale"], [6_000, "on_time"]])
    expect(timing.read(frame, atMs + 3_000)).toEqual({
      frameAgeMs: 3_100,
      observationAgeMs: 3_100,
      source: "simulated",
    })
  })

  it("removes the offset of a live clock, also in the frame, and keeps counting when frames stop", () => {
    const { atMs, frame, timing, turns } = run("live", () => 95_000)
    expect(turns).toEqual([])
    expect(frame.provenance.clockOffsetMs).toBe(95_000)
    expect(timing.read(frame, atMs + 12_000)).toMatchObject({ frameAgeMs: 12_000, observationAgeMs: 12_000 })
  })

  it("judges a replay by the time of its frames", () => {
    const { atMs, frame, timing, turns } = run("replay", (ms) => 3 * ms)
    expect(turns).toEqual([])
    expect(timing.read(frame, atMs + 500).frameAgeMs).toBe(500)
  })
})
