/**
 * Sums over the tracks of a range.
 */
export interface Movement {
  /** Tracks that existed in the range, and those of them that began in it. */
  readonly tracks: number
  readonly begun: number
  /** Sum of the durations of those that began in it. */
  readonly dwellS: number
  /** Distance and time in motion of those that began in it. */
  readonly distanceM: number
  readonly movingS: number
}
