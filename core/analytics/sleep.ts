/**
 * Rest: long times of lying, from the spans of an environment.
 *
 * A span in which persons mostly lie is a resting one. Resting spans not farther apart than `gapMsMax` are one rest, and a rest
 * of `restMsMin` or more is told as a sleep: radio does not tell who sleeps from who lies awake. It needs no time zone, since a night is
 * found by the lying and not by the clock. A sleep belongs to the range in which it ends. Several persons of one room cannot be told
 * apart, so sleeps in which more than one was seen are not told.
 */
import type { TimeRange } from "./calendar.ts"
import { type SpanColumns, spanMs } from "./occupancy.ts"
import type { Reasons } from "./reasons.ts"

/** How far before and after a range its sleeps may reach. */
export const restLookBackMs = 24 * 3_600_000
export const gapMsMax = 30 * 60_000
const restMsMin = 3 * 3_600_000
/** Shares of the person-frames of a span: lying from which it is a resting one, and up from which the rest was disturbed. */
const restingMin = 0.5
const upMin = 0.1
/** Shares of a sleep's spans with more than one person, above which it is not told. */
const companyMax = 0.1

interface Sleep {
  readonly fromMs: number
  readonly toMs: number
  /** Lying person-frames, and all of them. */
  readonly lyingFrames: number
  readonly seenFrames: number
  /** Times in which the person was up or moved about, between the first and the last resting span. */
  readonly disturbances: number
  /** More than one person was seen for a while. */
  readonly company: boolean
}

/** The rests of one environment that are long enough, in order of time. */
export const sleepsOf = (spans: SpanColumns): ReadonlyArray<Sleep> => {
  const sleeps: Array<Sleep> = []
  const share = (i: number): number => spans.personFrames[i] === 0 ? 0 : spans.lying[i]! / spans.personFrames[i]!
  const rests = spans.startMs.flatMap((_, i) => share(i) >= restingMin ? [i] : [])
  const tell = (first: number, last: number): void => {
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
    tell(first!, index)
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

/** The sleeps that end in a range, of all environments, added up; null figures where there are none that can be told. */
export const sleepQuality = (
  range: TimeRange,
  environments: ReadonlyArray<SpanColumns>,
  reasons: Reasons,
): SleepQuality => {
  const all = environments.flatMap(sleepsOf).filter(({ toMs }) => toMs > range.fromMs && toMs <= range.toMs)
  const alone = all.filter(({ company }) => !company)
  if (alone.length === 0) {
    reasons.note(
      "sleepQuality",
      all.length > 0
        ? "More than one person was seen during each rest, and persons of one room cannot be told apart."
        : "Nobody was seen to lie for three hours, with pauses of at most half an hour, up to an end in this period.",
    )
    return { sleeps: 0, totalSleepHours: null, sleepEfficiency: null, restlessnessEvents: null }
  }
  // Who keeps still is lost by the radio now and then: what was not seen of a rest counts as what was.
  const lyingS = alone.reduce((sum, of) => sum + (of.lyingFrames / of.seenFrames) * (of.toMs - of.fromMs) / 1e3, 0)
  const inBedS = alone.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1e3, 0)
  return {
    sleeps: alone.length,
    totalSleepHours: lyingS / 3600,
    sleepEfficiency: lyingS / inBedS,
    restlessnessEvents: alone.reduce((sum, { disturbances }) => sum + disturbances, 0),
  }
}
