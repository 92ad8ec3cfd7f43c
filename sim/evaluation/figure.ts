/**
 * A figure: the value of a metric, or why there is none. Never a default.
 */

export type Figure =
  | { readonly value: number }
  | { readonly value: null; readonly reason: string }

export const none = (reason: string): Figure => ({ value: null, reason })

/** A value, or the reason when there is none. */
export const figure = (value: number | null, reason: string): Figure => value === null ? none(reason) : { value }

/** `scale` x numerator / denominator; of nothing there is no ratio. */
export const ratio = (numerator: number, denominator: number, reason: string, scale = 1): Figure =>
  denominator > 0 ? { value: scale * numerator / denominator } : none(reason)

export const noPersons = "Nobody was in the room in these sequences."
export const noMatches = "No person that was there was matched by an estimate."
