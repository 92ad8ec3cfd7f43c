import { Effect } from "effect"
import { expect, it } from "vitest"
import { TrackHistory } from "../../../../protocols/ports/track-history.ts"
import { onEachDatabase } from "../../../harness/history-store.ts"
import { frameWith, someone, storeFrames, storeTrack } from "../../../harness/stored-frames.ts"

const startMs = Date.UTC(2026, 0, 5, 9, 30)

await onEachDatabase("the history of tracks", ({ run }) => {
  it("tells a track as it was last written, the newest of its id, in one environment or in any", () =>
    run(Effect.gen(function* () {
      const { track } = yield* TrackHistory
      expect(yield* track(7, null)).toBe(null)
      yield* storeTrack({ trackId: 7, firstMs: startMs, lastMs: startMs + 20_000 })
      yield* storeTrack({ trackId: 7, environmentId: "attic", firstMs: startMs + 9e6, lastMs: startMs + 9e6 + 500 })
      expect((yield* track(7, null))!.environmentId).toBe("attic")
      expect(yield* track(7, "cellar")).toBe(null)
      expect(yield* track(7, "living-room")).toEqual({
        environmentId: "living-room",
        record: {
          trackId: 7,
          status: "ended",
          firstSeenMs: startMs,
          lastSeenMs: startMs + 20_000,
          totalFrames: 42,
          averageConfidence: 0.75,
          statistics: { movementDistanceM: 12.5, averageSpeedMps: 1.25, timeMovingS: 10, timeStationaryS: 5 },
        },
      })
    })))

  it("tells every place of a short life, between the times that are asked for, both included", () =>
    run(Effect.gen(function* () {
      const { track, trajectory } = yield* TrackHistory
      const frames = Array.from({ length: 300 }, (_, i) =>
        frameWith(i + 1, startMs + i * 100, [
          ...(i % 2 === 0 ? [someone(7, { location: { x: i / 100, y: 1 }, confidence: 0.8 })] : []),
          ...(i % 3 === 0 ? [someone(8)] : []),
        ]))
      yield* storeFrames(frames)
      const known = (yield* track(7, "living-room"))!
      const whole = yield* trajectory(known, -Infinity, Infinity)
      expect(whole.intervalS).toBe(null)
      expect(whole.points.map(({ x }) => x)).toEqual(Array.from({ length: 101 }, (_, i) => i / 50))
      const part = yield* trajectory(known, startMs + 1_000, startMs + 1_400)
      expect(part.points).toEqual([10, 12, 14].map((i) => ({
        timestampMs: startMs + i * 100,
        x: i / 100,
        y: 1,
        confidence: 0.8,
      })))
      expect((yield* trajectory(known, startMs + 1e6, startMs + 2e6)).points).toEqual([])
    })))

  it("tells a long life by places spread over it, and how far apart", () =>
    run(Effect.gen(function* () {
      const { track, trajectory } = yield* TrackHistory
      const count = 2048
      const frames = Array.from({ length: count }, (_, i) =>
        frameWith(i + 1, startMs + i * 100, [someone(9, { location: { x: i, y: 0 } })], { environmentId: "long" }))
      yield* storeFrames(frames)
      const lastMs = startMs + (count - 1) * 100
      yield* storeTrack({ environmentId: "long", trackId: 9, firstMs: startMs, lastMs })
      const { intervalS, points } = yield* trajectory((yield* track(9, null))!, -Infinity, Infinity)
      expect(intervalS).toBeCloseTo(0.4, 3)
      expect(points.length).toBe(512)
      const stepsM = points.slice(1).map(({ x }, i) =>
        x - points[i]!.x
      )
      expect([Math.min(...stepsM) > 0, Math.max(...stepsM) <= 8]).toEqual([true, true])
      expect([points[0]!.x, points.at(-1)!.x >= count - 5]).toEqual([0, true])
    })))
})
