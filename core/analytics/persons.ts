/**
 * How many different persons: what can honestly be said of it.
 *
 * A track's id is random and ends with the track, so who comes back is somebody new. What is known are bounds: no fewer than were seen at
 * one time, no more than there were tracks.
 */
import { bucketStarts, floorTo, type TimeRange } from "./calendar.ts"

interface PersonBounds {
  /** The most that one environment saw at a time. */
  readonly min: number
  /** Tracks that lived in the time. */
  readonly max: number
}

/** The number of different persons, where the bounds leave one; else null. */
export const uniquePersons = ({ max, min }: PersonBounds): number | null => min === max ? min : null

export const uniqueReason = ({ max, min }: PersonBounds): string =>
  max < min
    ? "Persons were seen without tracks that say who is who."
    : `Radio does not tell who comes back: between ${min} (seen at one time) and ${max} (tracks) different persons.`

/** Tracks that began and ended in a bucket; who lived before a range began counts as begun in its first bucket. */
export interface TrackBucket {
  readonly startMs: number
  readonly begun: number
  readonly ended: number
}

/** How many tracks lived in each bucket of a range. */
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
