/**
 * Why figures of a report are null: a figure that is not known is never given without a word about it.
 */

/** The reason by the dotted path of a report's field. */
export type ReasonMap = Readonly<Record<string, string>>

export interface Reasons {
  /** The value as it is; where it is null, the reason is kept under the path. */
  readonly orNull: <A>(path: string, value: A | null, reason: string) => A | null
  /** A word about a figure that is given. */
  readonly note: (path: string, reason: string) => void
  readonly all: () => ReasonMap
}

export const noFramesReason = "No frames are stored of this time."

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
