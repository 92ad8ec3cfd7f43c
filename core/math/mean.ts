/** The arithmetic mean of a list of any length. */

/** Null without values. */
export const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean of the values that are known; null if none is. */
export const meanOfKnown = (values: ReadonlyArray<number | null>): number | null =>
  meanOf(values.filter((value) => value !== null))
