/**
 * What a node's presence means, followed over time: Unknown Presence, Unexpected Occupancy, Unrecognized Activity Pattern.
 *
 * Owns the hysteresis and the learning; time is event time. Boundary: what presence is, `core/vitals` says; what may be told of it,
 * `core/privacy`. Nobody is ever recognised: every presence is an unknown one.
 */
import { createLatch, type Latch } from "../activity/hysteresis.ts"
import type { Source } from "../formats/csi-batch.ts"
import { createMinuteMeter, type LevelReading } from "./activity-level.ts"
import {
  anomalyOf,
  type AnomalyReading,
  anomalyThreshold,
  learn,
  type LearnedWeek,
  notLearned,
  occupiedShare,
  type RecentMinutes,
  windowMinutes,
} from "./learned-week.ts"

/** What a latch must see without a break, in seconds. */
const presenceLatch = { onS: 3, offS: 10 } as const
const occupancyLatch = { onS: 60, offS: 60 } as const
/** A place is hardly ever occupied when somebody was there in less than this share of its week. */
const hardlyEverShare = 0.05

const hardlyEver = Math.round(100 * hardlyEverShare)

interface EventState {
  readonly active: boolean
  /** When it became so, event time; null before the first word of it. */
  readonly sinceMs: number | null
}

export interface SemanticReading {
  readonly unknownPresence: EventState
  readonly unexpectedOccupancy: EventState & { readonly reason: string | null }
  readonly unrecognizedActivityPattern: EventState
  readonly anomaly: AnomalyReading
}

interface SemanticWatch {
  /** Takes a reading. `mayTellPatterns`: the node's class lets the third event be active. */
  readonly step: (source: Source, reading: LevelReading, mayTellPatterns: boolean) => SemanticReading
  /** What was learned so far, to be kept; null before the first minute. */
  readonly week: () => LearnedWeek | null
}

/** A latch that keeps what it said while nothing is known, and begins anew when time goes back. */
const follow = (latch: Latch, timestampMs: number, input: boolean | null): EventState => {
  const { on, sinceS } = input === null ? latch.read() : latch.step(timestampMs / 1000, input)
  return { active: on, sinceMs: sinceS === null ? null : Math.round(sinceS * 1000) }
}

export const createSemanticWatch = (kept: LearnedWeek | null): SemanticWatch => {
  let week = kept
  let newestMs = -Infinity
  let meter = createMinuteMeter()
  let presence = createLatch(presenceLatch)
  let occupancy = createLatch(occupancyLatch)
  let recent: RecentMinutes = []
  let anomaly: AnomalyReading = anomalyOf(week, recent)
  let pattern: EventState = { active: false, sinceMs: null }

  const beginAnew = (): void => {
    meter = createMinuteMeter()
    presence = createLatch(presenceLatch)
    occupancy = createLatch(occupancyLatch)
    recent = []
    anomaly = anomalyOf(week, recent)
    pattern = { active: false, sinceMs: null }
  }

  /** What the week says is judged by the week before it learns of it. */
  const takeMinute = (source: Source, reading: LevelReading): void => {
    const ended = meter.step(reading)
    if (ended === null) return
    const { level, minute } = ended
    recent = recent.filter((at) => at.minute > minute - windowMinutes)
    if (level !== null) recent = [...recent, { minute, level }]
    anomaly = week !== null && week.source !== source ? anomalyOf(null, recent) : anomalyOf(week, recent)
    if (level !== null) week = learn(week, source, minute, level)
  }

  const patternAt = (timestampMs: number, mayTell: boolean): EventState => {
    const active = mayTell && anomaly.score !== null && anomaly.score >= anomalyThreshold
    return active === pattern.active && pattern.sinceMs !== null ? pattern : { active, sinceMs: timestampMs }
  }

  return {
    week: () => week,
    step: (source, reading, mayTellPatterns) => {
      const { present, timestampMs } = reading
      if (timestampMs < newestMs) beginAnew()
      newestMs = timestampMs
      takeMinute(source, reading)
      pattern = patternAt(timestampMs, mayTellPatterns)
      const unknownPresence = follow(presence, timestampMs, present)
      const share = week?.source === source ? occupiedShare(week) : null
      const rare = share !== null && share < hardlyEverShare
      return {
        unknownPresence,
        unexpectedOccupancy: {
          ...follow(occupancy, timestampMs, rare && unknownPresence.active),
          reason: share === null
            ? notLearned(week?.source === source ? week : null)
            : rare
            ? null
            : `Somebody is here more often than ${hardlyEver} % of the week, so nobody's presence is unexpected.`,
        },
        unrecognizedActivityPattern: pattern,
        anomaly,
      }
    },
  }
}
