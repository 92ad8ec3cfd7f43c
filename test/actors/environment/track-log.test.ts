import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeTrackLog } from "../../../actors/environment/track-log.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { defaultPrivacy } from "../../../protocols/domain/configuration.ts"
import type { TrackRecord } from "../../../protocols/domain/track.ts"
import type { ArchivedTrack } from "../../../protocols/messages/archive.ts"

const record = (trackId: number, status: TrackRecord["status"], lastSeenMs: number): TrackRecord => ({
  trackId,
  status,
  firstSeenMs: 0,
  lastSeenMs,
  totalFrames: lastSeenMs / 100,
  averageConfidence: 0.5,
  trajectory: [],
  statistics: { movementDistanceM: 1, averageSpeedMps: 1, timeStationaryS: 2, timeMovingS: 3 },
})

type Log = Effect.Success<ReturnType<typeof makeTrackLog>>

const run = (
  use: (site: {
    readonly log: Log
    readonly stored: ReadonlyArray<ArchivedTrack>
    readonly fail: (fails: boolean) => void
  }) => Effect.Effect<void>,
  anonymizeData = false,
) => {
  const stored: Array<ArchivedTrack> = []
  let fails = false
  const archive = {
    AppendTracks: ({ tracks }: { readonly tracks: ReadonlyArray<ArchivedTrack> }) =>
      Effect.suspend(() => {
        if (fails) return Effect.fail(new StoreUnavailable({ message: "The database failed." }))
        stored.push(...tracks)
        return Effect.void
      }),
  }
  return Effect.gen(function* () {
    const log = yield* makeTrackLog(archive as never, Effect.succeed({ ...defaultPrivacy, anonymizeData }))
    yield* use({ log, stored, fail: (now) => void (fails = now) })
  }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)
}

const settle = TestClock.adjust(1)
const said = (stored: ReadonlyArray<ArchivedTrack>) =>
  stored.map(({ lastSeenMs, status, trackId }) => [trackId, status, lastSeenMs])

/** Hops of a person who is tentative at first, lives until `endMs`, and is known as ended from then on. */
const play = (log: Log, untilMs: number, endMs = Infinity) =>
  Effect.gen(function* () {
    for (let ms = 100; ms <= untilMs; ms += 100) {
      const status = ms < 400 ? "tentative" : ms < endMs ? "active" : "ended"
      log.observe(ms, "live", () => [record(7, status, Math.min(ms, endMs))])
      if (ms % 1_000 === 0) yield* settle
    }
    yield* settle
  })

describe("track log", () => {
  it("writes a person when confirmed, every ten seconds, and once at the end", () =>
    run(({ log, stored }) =>
      Effect.gen(function* () {
        yield* play(log, 40_000, 25_000)
        expect(said(stored)).toEqual([
          [7, "active", 1_100],
          [7, "active", 11_100],
          [7, "active", 21_100],
          [7, "ended", 25_000],
        ])
        expect(stored.at(-1)).toEqual({
          trackId: 7,
          status: "ended",
          firstSeenMs: 0,
          lastSeenMs: 25_000,
          frames: 250,
          confidence: 0.5,
          distanceM: 1,
          movingS: 3,
          stationaryS: 2,
          source: "live",
        })
      })
    ))

  it("ends confirmed tracks when following stops, and writes no unconfirmed ones", () =>
    run(({ log, stored }) =>
      Effect.gen(function* () {
        yield* play(log, 3_000)
        log.end([record(7, "active", 3_000), record(8, "tentative", 3_000), record(9, "ended", 2_000)])
        yield* settle
        expect(said(stored)).toEqual([[7, "active", 1_100], [7, "ended", 3_000], [9, "ended", 2_000]])
      })
    ))

  it("keeps the newest state for a store that fails", () =>
    run(({ fail, log, stored }) =>
      Effect.gen(function* () {
        fail(true)
        yield* play(log, 13_000, 11_500)
        expect(stored).toEqual([])
        fail(false)
        yield* TestClock.adjust("1 second")
        expect(said(stored)).toEqual([[7, "ended", 11_500]])
      })
    ))

  it("stores none while data are anonymised", () =>
    run(({ log, stored }) =>
      Effect.gen(function* () {
        yield* play(log, 12_000, 11_500)
        expect(stored).toEqual([])
      }), true))
})
