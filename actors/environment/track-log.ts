/**
 * The track log of an environment: stores each person's track when it is confirmed, every `writeEveryMs` of event time while it lasts, and
 * when it ends.
 *
 * Boundary: tracks are followed in `tracks.ts`. Unconfirmed tracks are not stored; with anonymised data no track is.
 *
 * Invariants: an end is written once; the memory is bounded by the tracks that the estimator has.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PrivacySettings } from "../../protocols/domain/configuration.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import type { ArchivedTrack } from "../../protocols/messages/archive.ts"
import { makeBacklog } from "./backlog.ts"
import type { OwnArchive } from "./own-archive.ts"

/** Event time between two stored states of a track. */
const writeEveryMs = 10_000
/** Event time between two checks of the tracks: an end is noticed after at most this time. */
const checkEveryMs = 1_000

/** The stored part of a track. */
const archivedTrackOf = (record: TrackRecord, status: TrackRecord["status"], source: Source): ArchivedTrack => ({
  trackId: record.trackId,
  status,
  firstSeenMs: record.firstSeenMs,
  lastSeenMs: record.lastSeenMs,
  frames: record.totalFrames,
  confidence: record.averageConfidence,
  distanceM: record.statistics.movementDistanceM,
  movingS: record.statistics.timeMovingS,
  stationaryS: record.statistics.timeStationaryS,
  source,
})

/** Starts a log. */
export const makeTrackLog = Effect.fnUntraced(function* (
  archive: OwnArchive,
  privacy: Effect.Effect<PrivacySettings, StoreUnavailable>,
) {
  const { add: take } = yield* makeBacklog({
    what: "tracks",
    keyOf: ({ firstSeenMs, trackId }: ArchivedTrack) => `${trackId} ${firstSeenMs}`,
    spared: ({ status }) => status === "ended",
    append: (tracks) =>
      Effect.flatMap(privacy, ({ anonymizeData }) => anonymizeData ? Effect.void : archive.AppendTracks({ tracks })),
  })
  /** When each known track was last written, event time; null when its end was. */
  let written = new Map<number, number | null>()
  let checkedMs = -Infinity
  let source: Source = "simulated"

  const check = (timestampMs: number, records: ReadonlyArray<TrackRecord>): void => {
    const next = new Map<number, number | null>()
    const due: Array<ArchivedTrack> = []
    for (const record of records) {
      const { status, trackId } = record
      if (status === "tentative") continue
      const before = written.get(trackId)
      const isDue = before !== null && (status === "ended" || timestampMs - (before ?? -Infinity) >= writeEveryMs)
      if (isDue) due.push(archivedTrackOf(record, status, source))
      next.set(trackId, status === "ended" ? null : isDue ? timestampMs : before ?? null)
    }
    written = next
    take(due)
  }

  return {
    /** Checks the tracks after a hop, every `checkEveryMs`; only then `records` is called. */
    observe: (timestampMs: number, from: Source, records: () => ReadonlyArray<TrackRecord>): void => {
      source = from
      if (timestampMs - checkedMs < checkEveryMs && timestampMs >= checkedMs) return
      checkedMs = timestampMs
      check(timestampMs, records())
    },
    /** All tracks end, because they are not followed any more. */
    end: (records: ReadonlyArray<TrackRecord>): void => {
      check(Infinity, records.map((record) => record.status === "tentative" ? record : { ...record, status: "ended" }))
      written = new Map()
      checkedMs = -Infinity
    },
  }
})
