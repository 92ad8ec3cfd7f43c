/** The vital signs of a whole recording, from its readings once a second: one rate when the seconds agree on it. */
import type { Vitals } from "../observation/vitals.ts"
import { fastWindowS, whyNoWindow } from "./breathing.ts"

/** Minimum number of seconds with a rate. */
const secondsMin = 3
/** Minimum share of seconds with a rate among those that could have had one; rare false alarms stay below it. */
const shareMin = 0.2
/** Minimum share of the rates near the median, and their maximum distance from it. */
const agreeingShareMin = 2 / 3
const spreadShareMax = 0.1

/** Ends of the reasons of seconds whose window was not filled, of the breathing and of the heart rate. */
const notFilled = whyNoWindow("not-filled", fastWindowS)

export interface RateSummary {
  readonly rateBpm: number | null
  readonly reason: string | null
}

/** Summarises readings once a second: a rate, or the reason for its absence. */
const summarise = (
  seconds: ReadonlyArray<{ readonly rateBpm: number | null; readonly reason: string | null }>,
): RateSummary => {
  const rates = seconds.flatMap(({ rateBpm }) => rateBpm === null ? [] : [rateBpm]).sort((a, b) => a - b)
  const filled = seconds.filter(({ reason }) => reason === null || !reason.endsWith(notFilled))
  const ready = filled.filter(({ reason }) => reason === null || !reason.includes("not enough data"))
  if (rates.length < secondsMin || rates.length < shareMin * ready.length) {
    const few = `${rates.length} s with a rate are too few to rely on`
    return { rateBpm: null, reason: commonest([ready, filled, seconds].find((of) => of.length > 0) ?? []) ?? few }
  }
  const median = rates[rates.length >> 1]!
  const agreeing = rates.filter((rate) => Math.abs(rate - median) <= spreadShareMax * median)
  return agreeing.length < agreeingShareMin * rates.length
    ? { rateBpm: null, reason: `the rate changes: from ${rates[0]!.toFixed(0)} to ${rates.at(-1)!.toFixed(0)}/min` }
    : { rateBpm: median, reason: null }
}

/** The most common reason; null when all seconds have a rate. */
const commonest = (seconds: ReadonlyArray<{ readonly reason: string | null }>): string | null => {
  const counts = new Map<string, number>()
  for (const { reason } of seconds) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const ranked = [...counts].sort(([, a], [, b]) => b - a)
  return seconds.length === 0 ? "not enough data: a recording of 30 s or more is needed" : ranked[0]?.[0] ?? null
}

/** The breathing rate of a recording, from its link's vital signs once a second. */
export const summariseBreathing = (windows: ReadonlyArray<Vitals>): RateSummary =>
  summarise(
    windows.map(({ breathingRateBpm, breathingReason }) => ({ rateBpm: breathingRateBpm, reason: breathingReason })),
  )

/** The heart rate of a recording, from its link's vital signs once a second. */
export const summariseHeartRate = (windows: ReadonlyArray<Vitals>): RateSummary =>
  summarise(windows.map(({ heartRateBpm, heartReason }) => ({ rateBpm: heartRateBpm, reason: heartReason })))
