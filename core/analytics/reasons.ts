/**
 * Reasons of null values in reports. Every null value has a reason.
 */

/** The reason by the dotted path of a report's field. */
export type ReasonMap = Readonly<Record<string, string>>

export interface Reasons {
  /** Returns the value. If it is null, records the reason under the path. */
  readonly orNull: <A>(path: string, value: A | null, reason: string) => A | null
  /** Records a note about a value. */
  readonly note: (path: string, reason: string) => void
  readonly all: () => ReasonMap
}

export const noFramesReason = "No frames are stored for this time."

export const createReasons = (): Reasons => {
  const kept: Record<string, string> = {}
  return {
    orNull: (path, value, reason) => {
      if (value === null) kept[path] = reason
      return value
    },
    note: (path, reason) => {
      kept[path] = reason
    },
    all: () => kept,
  }
}
