/**
 * The number of different persons, as bounds.
 *
 * A track's id is random and ends with the track, so a returning person counts as new. The known bounds are: at least the maximum at
 * one time, at most the number of tracks.
 */
import { bucketStarts, floorTo, type TimeRange } from "./calendar.ts"

interface PersonBounds {
  /** Maximum number of persons in one environment at one time. */
  readonly min: number
  /** Tracks that existed in the time. */
  readonly max: number
}

/** The number of different persons if the bounds are equal, else null. */
export const uniquePersons = ({ max, min }: PersonBounds): number | null => min === max ? min : null

export const uniqueReason = ({ max, min }: PersonBounds): string =>
  max < min
    ? "Persons were detected without tracks that distinguish them."
    : `Returning persons cannot be recognised: between ${min} (at one time) and ${max} (tracks) different persons.`

/** Tracks that began and ended in a bucket. Tracks from before a range count as begun in its first bucket. */
export interface TrackBucket {
  readonly startMs: number
  readonly begun: number
  readonly ended: number
}

/** Number of tracks in each bucket of a range. */
export const livingTracks = (
  range: TimeRange,
  widthMs: number,
  buckets: ReadonlyArray<TrackBucket>,
): ReadonlyArray<number> => {
  const byStart = new Map(buckets.map((bucket) => [floorTo(bucket.startMs, widthMs), bucket]))
  let alive = 0
  return bucketStarts(range, widthMs).map((startMs) => {
    const { begun, ended } = byStart.get(startMs) ?? { begun: 0, ended: 0 }
    const lived = alive + begun
    alive = lived - ended
    return lived
  })
}
