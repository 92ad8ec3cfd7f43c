/**
 * The learned week of a site: the frequency of each activity level in each of its 168 hours, and a score of how unusual a pattern is.
 *
 * Owns the counts, as a value that is stored across starts, and the score. Hours are UTC, so daylight saving time shifts the
 * week. It adapts within a few weeks, because old counts decay.
 *
 * The score: a level has the surprise -log2 p under the distribution of the hour, smoothed by its neighbours and the same hour of other
 * days. The mean surprise of the last quarter of an hour is compared with its expectation and deviation under the same distribution. z
 * deviations give z / (z + 9/7), so that three deviations are 0.7. Minutes of one quarter are dependent, so they count as one.
 */
import type { Source } from "../formats/csi-batch.ts"
import { type ActivityLevel, levelCount } from "./activity-level.ts"

/** Score above which a pattern is unrecognised. */
export const anomalyThreshold = 0.7

const hoursOfWeek = 168
const minutesOfWeek = 60 * hoursOfWeek
/** Share of a week's minutes that a learned week needs. */
const learnedShareMin = 0.5
/** Maximum minutes of an hour of the week, over all weeks. Above it the counts are halved, so that old ones decay. */
const hourMinutesMax = 240
/** Weights of other hours in the distribution of an hour: the previous and the next one, and the same hour of each other day. */
const neighbourWeight = 0.5
const otherDayWeight = 0.25
/** Weight, in minutes, of the whole week's distribution in each hour, and of each level in that. */
const priorMinutes = 10
/** Minutes of a score, and the minimum of known ones. */
export const windowMinutes = 15
const windowMinutesMin = 10
/** Minimum deviation of a surprise, in bits, for hours without variation. */
const deviationMin = 1
/** z at which the score is one half, so that three deviations give the threshold. */
const halfScoreZ = 3 * (1 - anomalyThreshold) / anomalyThreshold
/** A longer step, forward or back, does not count as learned time: data were missing, or the clock of the source was set. */
const stepMinutesMax = 1440

/** Length of the counts of a week. */
export const weekCounts = hoursOfWeek * levelCount

export interface LearnedWeek {
  /** Source of the readings. A simulated week does not apply to a live site. */
  readonly source: Source
  /**
   * The first and the last learned minute, since the Unix epoch. The first moves along when time jumps, so that their difference is the
   * learned time.
   */
  readonly firstMinute: number
  readonly lastMinute: number
  /** Number of learned minutes, including decayed ones. */
  readonly minutes: number
  /** Minutes by hour of the week and level, row by row. */
  readonly counts: ReadonlyArray<number>
}

/** A score, or the reason why there is none. */
export type AnomalyReading =
  | { readonly score: number; readonly reason: null }
  | { readonly score: null; readonly reason: string }

/** Weeks count from the Unix epoch, a Thursday. The first day is arbitrary. */
const hourOf = (minute: number): number => Math.floor(minute / 60) % hoursOfWeek

/**
 * Adds a minute to a week. A minute of another source starts a new week. A minute that is not newer than the last is ignored, unless it is
 * more than a day older: then the clock of the source was ahead and has been set back.
 */
export const learn = (
  week: LearnedWeek | null,
  source: Source,
  minute: number,
  level: ActivityLevel,
): LearnedWeek => {
  if (week === null || week.source !== source) {
    const counts = new Array<number>(weekCounts).fill(0)
    counts[hourOf(minute) * levelCount + level] = 1
    return { source, firstMinute: minute, lastMinute: minute, minutes: 1, counts }
  }
  const step = minute - week.lastMinute
  const isJump = Math.abs(step) > stepMinutesMax
  if (step <= 0 && !isJump) return week
  const row = hourOf(minute) * levelCount
  const counts = [...week.counts]
  counts[row + level]! += 1
  const total = counts.slice(row, row + levelCount).reduce((sum, count) => sum + count, 0)
  if (total > hourMinutesMax) { for (let i = row; i < row + levelCount; i++) counts[i]! /= 2 }
  const firstMinute = isJump ? week.firstMinute + step : week.firstMinute
  return { ...week, firstMinute, lastMinute: minute, minutes: week.minutes + 1, counts }
}

/** Why a week cannot be used yet; null if it can. */
export const notLearned = (week: LearnedWeek | null): string | null => {
  if (week === null) return "The site's week is not learned yet: there are no data."
  const days = (week.lastMinute - week.firstMinute) / 1440
  if (days >= 7 && week.minutes >= learnedShareMin * minutesOfWeek) return null
  const share = Math.min(100, Math.floor(100 * week.minutes / minutesOfWeek))
  return `The site's week is not learned yet: it needs 7 days with data for half of the time; ` +
    `${Math.min(7, Math.floor(days))} days have passed, with data for ${share} % of a week.`
}

/** Share of the learned time with a person present, 0..1; null before a week is learned. */
export const occupiedShare = (week: LearnedWeek | null): number | null => {
  if (week === null || notLearned(week) !== null) return null
  let occupied = 0
  let all = 0
  week.counts.forEach((count, i) => {
    all += count
    if (i % levelCount !== 0) occupied += count
  })
  return occupied / all
}

/** Probabilities of the levels in an hour of the week. */
const distributionOf = ({ counts }: LearnedWeek, hour: number): ReadonlyArray<number> => {
  const overall = Array.from({ length: levelCount }, (_, level) => {
    let sum = 1
    for (let i = level; i < counts.length; i += levelCount) sum += counts[i]!
    return sum
  })
  const all = overall.reduce((sum, count) => sum + count, 0)
  const weights: ReadonlyArray<readonly [number, number]> = [
    [hour, 1],
    [hour + 1, neighbourWeight],
    [hour - 1, neighbourWeight],
    ...[1, 2, 3, 4, 5, 6].map((days) => [hour + 24 * days, otherDayWeight] as const),
  ]
  const seen = overall.map((count, level) => {
    let sum = priorMinutes * count / all
    for (const [at, weight] of weights) {
      sum += weight * counts[((at + hoursOfWeek) % hoursOfWeek) * levelCount + level]!
    }
    return sum
  })
  const total = seen.reduce((sum, count) => sum + count, 0)
  return seen.map((count) => count / total)
}

/** Mean and variance of the surprise of an hour's levels, and the surprise of each, in bits. */
const surpriseOf = (distribution: ReadonlyArray<number>) => {
  const bits = distribution.map((p) => -Math.log2(p))
  const mean = distribution.reduce((sum, p, level) => sum + p * bits[level]!, 0)
  const variance = distribution.reduce((sum, p, level) => sum + p * (bits[level]! - mean) ** 2, 0)
  return { bits, mean, variance }
}

/** The last minutes that have a level, ascending. */
export type RecentMinutes = ReadonlyArray<{ readonly minute: number; readonly level: ActivityLevel }>

/**
 * How unusual the last quarter of an hour is for the site's week: 0..1. It exceeds `anomalyThreshold` about as often as a normal value
 * exceeds three standard deviations.
 */
export const anomalyOf = (week: LearnedWeek | null, recent: RecentMinutes): AnomalyReading => {
  const reason = notLearned(week)
  if (week === null || reason !== null) return { score: null, reason: reason ?? "" }
  const until = recent.at(-1)?.minute ?? 0
  const window = recent.filter(({ minute }) => minute > until - windowMinutes)
  if (window.length < windowMinutesMin) {
    return {
      score: null,
      reason: `Too little is known: ${window.length} of the last ${windowMinutes} minutes, of which ` +
        `${windowMinutesMin} are needed.`,
    }
  }
  const hours = new Map<number, ReturnType<typeof surpriseOf>>()
  let surprise = 0
  let expected = 0
  let variance = 0
  for (const { level, minute } of window) {
    const hour = hourOf(minute)
    const known = hours.get(hour) ?? surpriseOf(distributionOf(week, hour))
    hours.set(hour, known)
    surprise += known.bits[level]! / window.length
    expected += known.mean / window.length
    variance += known.variance / window.length
  }
  const z = Math.max(0, surprise - expected) / Math.max(deviationMin, Math.sqrt(variance))
  return { score: z / (z + halfScoreZ), reason: null }
}
