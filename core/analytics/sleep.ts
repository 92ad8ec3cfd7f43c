/**
 * Rest: long periods of lying, from the spans of an environment.
 *
 * A span in which persons mostly lie is a resting one. Resting spans at most `gapMsMax` apart are one rest, and a rest
 * of `restMsMin` or more is reported as a sleep, because CSI does not distinguish sleep from lying awake. It needs no time zone, because
 * a night is detected by lying and not by the clock. A sleep belongs to the range in which it ends. Persons of one room cannot be
 * distinguished, so sleeps with more than one person are not reported.
 */
import type { TimeRange } from "./calendar.ts"
import { type SpanColumns, spanMs } from "./occupancy.ts"
import type { Reasons } from "./reasons.ts"

/** Maximum extent of sleeps before and after a range. */
export const restLookBackMs = 24 * 3_600_000
export const gapMsMax = 30 * 60_000
const restMsMin = 3 * 3_600_000
/** Shares of the person-frames of a span: lying in a resting span, and upright in a disturbed one. */
const restingMin = 0.5
const upMin = 0.1
/** Share of a sleep's spans with more than one person above which it is not reported. */
const companyMax = 0.1

interface Sleep {
  readonly fromMs: number
  readonly toMs: number
  /** Lying person-frames, and all of them. */
  readonly lyingFrames: number
  readonly seenFrames: number
  /** Number of times that the person was up or moved, between the first and the last resting span. */
  readonly disturbances: number
  /** More than one person was present for some time. */
  readonly company: boolean
}

/** The sufficiently long rests of one environment, in order of time. */
export const sleepsOf = (spans: SpanColumns): ReadonlyArray<Sleep> => {
  const sleeps: Array<Sleep> = []
  const share = (i: number): number => spans.personFrames[i] === 0 ? 0 : spans.lying[i]! / spans.personFrames[i]!
  const rests = spans.startMs.flatMap((_, i) => share(i) >= restingMin ? [i] : [])
  const addRest = (first: number, last: number): void => {
    const fromMs = spans.startMs[first]!
    const toMs = spans.startMs[last]! + spanMs
    if (toMs - fromMs < restMsMin) return
    let lyingFrames = 0
    let seenFrames = 0
    let disturbances = 0
    let companySpans = 0
    let quiet = true
    for (let i = first; i <= last; i++) {
      lyingFrames += spans.lying[i]!
      seenFrames += spans.personFrames[i]!
      if (spans.personMax[i]! > 1) companySpans++
      const up = spans.personFrames[i]! > 0 && 1 - share(i) >= upMin
      if (up && quiet) disturbances++
      quiet = !up
    }
    sleeps.push({
      fromMs,
      toMs,
      lyingFrames,
      seenFrames,
      disturbances,
      company: companySpans > companyMax * (last - first + 1),
    })
  }
  let first = rests[0]
  rests.forEach((index, i) => {
    const next = rests[i + 1]
    if (next !== undefined && spans.startMs[next]! - spans.startMs[index]! - spanMs <= gapMsMax) return
    addRest(first!, index)
    first = next
  })
  return sleeps
}

export interface SleepQuality {
  readonly sleeps: number
  readonly totalSleepHours: number | null
  readonly sleepEfficiency: number | null
  readonly restlessnessEvents: number | null
}

/** Sums of the sleeps of all environments that end in a range; null without any that can be reported. */
export const sleepQuality = (
  range: TimeRange,
  environments: ReadonlyArray<SpanColumns>,
  reasons: Reasons,
  /** Why persons are not counted in the range; else null. */
  uncounted: string | null,
): SleepQuality => {
  const all = environments.flatMap(sleepsOf).filter(({ toMs }) => toMs > range.fromMs && toMs <= range.toMs)
  const alone = all.filter(({ company }) => !company)
  if (alone.length === 0) {
    reasons.note(
      "sleepQuality",
      all.length > 0
        ? "More than one person was present during each rest, and persons of one room cannot be distinguished."
        : uncounted ?? "No person lay for three hours, with pauses of at most half an hour, and got up in this period.",
    )
    return { sleeps: 0, totalSleepHours: null, sleepEfficiency: null, restlessnessEvents: null }
  }
  // Tracks of still persons are lost at times, so the undetected part of a rest counts like the detected part.
  const lyingS = alone.reduce((sum, of) => sum + (of.lyingFrames / of.seenFrames) * (of.toMs - of.fromMs) / 1e3, 0)
  const inBedS = alone.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1e3, 0)
  return {
    sleeps: alone.length,
    totalSleepHours: lyingS / 3600,
    sleepEfficiency: lyingS / inBedS,
    restlessnessEvents: alone.reduce((sum, { disturbances }) => sum + disturbances, 0),
  }
}
