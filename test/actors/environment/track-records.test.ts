import { describe, expect, it } from "vitest"
import { trackRecordOf } from "../../../actors/environment/track-records.ts"
import { pointsOf } from "../../../core/tracking/trajectory.ts"
import { adultEcho, noEcho } from "../../harness/detections.ts"
import { echo, makeTracks, startMs, trackOf, walk } from "../../harness/followed-tracks.ts"

describe("records of tracks", () => {
  it("contain the trajectory and the movement of a current track", () => {
    const { nowMs, run, tracks } = makeTracks()
    run(101, walk(1))
    const record = trackRecordOf(trackOf(tracks, 101))
    expect(record).toMatchObject({
      trackId: 101,
      status: "active",
      firstSeenMs: startMs,
      lastSeenMs: nowMs(),
      totalFrames: 101,
    })
    expect(record.averageConfidence).toBeGreaterThan(0.8)
    expect(Math.abs(record.statistics.movementDistanceM - 10)).toBeLessThan(0.7)
    expect(Math.abs(record.statistics.averageSpeedMps - 1)).toBeLessThan(0.1)
    expect(record.statistics.timeStationaryS + record.statistics.timeMovingS).toBeCloseTo(10, 6)
    expect(record.trajectory[0]).toMatchObject({ timestampMs: startMs, x: 1, y: 1 })
    expect(record.trajectory.at(-1)!.timestampMs).toBe(nowMs())
    expect(record.trajectory.length).toBeGreaterThan(20)
  })

  it("count the time that a person is held where they stand", () => {
    const { nowMs, run, tracks } = makeTracks()
    run(51, walk(1))
    run(600, echo(adultEcho))
    const { lastSeenMs, statistics } = trackRecordOf(trackOf(tracks, 101))
    expect(lastSeenMs).toBe(nowMs())
    expect(statistics.timeStationaryS).toBeGreaterThan(55)
    expect(statistics.movementDistanceM).toBeLessThan(6)
  })

  it("have no state of a moment without evidence, and none after the end", () => {
    const { run, tracks } = makeTracks()
    run(40, walk(1))
    const seenMs = trackRecordOf(trackOf(tracks, 101)).lastSeenMs
    // While it is taken for walking on, or its place is empty, it is missed.
    run(400, echo(noEcho))
    const [gone] = tracks.ended
    const record = trackRecordOf(gone!)
    expect(record.status).toBe("ended")
    expect(record.lastSeenMs).toBeGreaterThanOrEqual(seenMs)
    expect(record.lastSeenMs).toBeLessThan(seenMs + 5_000)
    expect(pointsOf(gone!.trajectory).at(-1)!.timestampMs).toBe(record.lastSeenMs)
  })

  it("are kept of the last 32 that ended, the latest first", () => {
    const { run, tracks } = makeTracks({ trackingMaxAgeFrames: 2 })
    for (let person = 0; person < 35; person++) {
      run(15, walk(1, 3 * person))
      run(200, () => ({ echoes: [noEcho, noEcho] }))
    }
    const ended = tracks.ended.map(({ id }) => id)
    expect(ended).toHaveLength(32)
    expect(ended).toEqual(ended.toSorted((a, b) => b - a))
    expect(new Set(ended).size).toBe(32)
  })
})
