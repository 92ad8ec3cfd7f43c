/**
 * What the tracks of a range did, added up.
 */
export interface Movement {
  /** Tracks that lived in the range, and those of them that began in it. */
  readonly tracks: number
  readonly begun: number
  /** How long those that began in it lived, added up. */
  readonly dwellS: number
  /** Way and time in motion of those that began in it. */
  readonly distanceM: number
  readonly movingS: number
}
