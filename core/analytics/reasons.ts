/**
 * Reasons of null values in reports. Every null value has a reason.
 */
import { countedFrames, frameS, type FrameSums, together } from "./figures.ts"

/** Share of the minutes with frames below which the coverage is stated. The first and the last minute of an environment may be partial. */
const coveredShareMin = 0.95
const partialMinutes = 2

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

const notCountedReason =
  "Persons are not counted: this takes a floor plan with the places of the nodes, and enough links between them."

/** Why a figure of persons is null. */
export const noCountReason = ({ frames }: FrameSums): string => frames === 0 ? noFramesReason : notCountedReason

/** Why the mean confidence of an interval is null. */
export const noConfidenceReason =
  "Null in intervals in which no person was detected, and in those without stored frames that count persons."

/** If some frames do not count persons, notes how many of them the figures of persons are based on. */
export const noteCounted = (environments: ReadonlyArray<FrameSums>, reasons: Reasons): void => {
  const withFrames = environments.filter(({ frames }) => frames > 0)
  const sums = together(withFrames)
  const counted = countedFrames(sums)
  if (counted === sums.frames) return
  const rooms = withFrames.filter((of) => countedFrames(of) > 0).length
  const inRooms = withFrames.length > 1 ? ` and in ${rooms} of ${withFrames.length} environments` : ""
  reasons.note(
    "provenance.frames",
    counted === 0
      ? notCountedReason
      : `Persons are counted in ${counted} of ${sums.frames} frames${inRooms}. Figures of persons leave out the rest.`,
  )
}

const coveredMinutes = ({ frames }: FrameSums): number => frames * frameS / 60

/** If frames do not cover the minutes that they are in, notes under the path of a sum of time how much of them it counts. */
export const noteCovered = (environments: ReadonlyArray<FrameSums>, path: string, reasons: Reasons): void => {
  const isCovered = (of: FrameSums) => coveredMinutes(of) >= coveredShareMin * (of.minutes - partialMinutes)
  if (environments.every(isCovered)) return
  const sums = together(environments)
  const percent = Math.floor(100 * coveredMinutes(sums) / sums.minutes)
  reasons.note(
    path,
    `Only the time of frames is counted: ${percent} % of the minutes with frames. Hops were left out, or no CSI was received.`,
  )
}

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
