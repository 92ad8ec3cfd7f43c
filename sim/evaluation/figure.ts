/**
 * A figure: the value of a metric, or the reason why there is none. Never a default.
 */

export type Figure =
  | { readonly value: number }
  | { readonly value: null; readonly reason: string }

export const none = (reason: string): Figure => ({ value: null, reason })

/** A figure with a value, or with a reason when the value is null. */
export const figure = (value: number | null, reason: string): Figure => value === null ? none(reason) : { value }

/** `scale` x numerator / denominator; no value when the denominator is 0. */
export const ratio = (numerator: number, denominator: number, reason: string, scale = 1): Figure =>
  denominator > 0 ? { value: scale * numerator / denominator } : none(reason)

export const noPersons = "No person was in the room in these sequences."
export const noMatches = "No true person was matched by an estimate."
