/**
 * Semantic events of a node's presence over time: Unknown Presence, Unexpected Occupancy, Unrecognized Activity Pattern.
 *
 * Owns the hysteresis and the learning. Time is event time. Boundary: `core/vitals` determines presence, `core/privacy` what may be
 * published. Persons are never recognised: every presence is an unknown one.
 */
import { createLatch, type Latch } from "../activity/hysteresis.ts"
import type { Source } from "../formats/csi-batch.ts"
import { createGapWatch } from "../observation/silence.ts"
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

/** Seconds that a condition must hold without interruption. */
const presenceLatch = { onS: 3, offS: 10 } as const
const occupancyLatch = { onS: 60, offS: 60 } as const
/** A place is rarely occupied if persons were present in less than this share of its week. */
const hardlyEverShare = 0.05

const hardlyEver = Math.round(100 * hardlyEverShare)

interface EventState {
  readonly active: boolean
  /** Time of the last change, event time; null before the first known state. */
  readonly sinceMs: number | null
}

export interface SemanticReading {
  readonly unknownPresence: EventState
  readonly unexpectedOccupancy: EventState & { readonly reason: string | null }
  readonly unrecognizedActivityPattern: EventState
  readonly anomaly: AnomalyReading
}

interface SemanticWatch {
  /** Adds a reading. `mayTellPatterns`: the node's privacy class allows the third event. */
  readonly step: (source: Source, reading: LevelReading, mayTellPatterns: boolean) => SemanticReading
  /** The learned week, to be stored; null before the first minute. */
  readonly week: () => LearnedWeek | null
}

/** Hysteresis that keeps its state while the input is unknown. */
const follow = (latch: Latch, timestampMs: number, input: boolean | null): EventState => {
  const { on, sinceS } = input === null ? latch.read() : latch.step(timestampMs / 1000, input)
  return { active: on, sinceMs: sinceS === null ? null : Math.round(sinceS * 1000) }
}

const newLatches = () => ({ presence: createLatch(presenceLatch), occupancy: createLatch(occupancyLatch) })

export const createSemanticWatch = (kept: LearnedWeek | null): SemanticWatch => {
  let week = kept
  let newestMs = -Infinity
  let gaps = createGapWatch()
  let meter = createMinuteMeter()
  let latches = newLatches()
  let recent: RecentMinutes = []
  let anomaly: AnomalyReading = anomalyOf(week, recent)
  let pattern: EventState = { active: false, sinceMs: null }

  const beginAnew = (): void => {
    gaps = createGapWatch()
    meter = createMinuteMeter()
    latches = newLatches()
    recent = []
    anomaly = anomalyOf(week, recent)
    pattern = { active: false, sinceMs: null }
  }

  /** After a pause, a state must last anew to turn; after a silence, nobody is known to be there. */
  const passGap = (timestampMs: number): void => {
    const gap = gaps.step(timestampMs / 1000)
    if (gap === "silence") latches = newLatches()
    if (gap === "pause") Object.values(latches).forEach(({ interrupt }) => interrupt())
  }

  /** Scores a minute by the week before the week learns from it. */
  const takeMinute = (source: Source, reading: LevelReading): void => {
    const ended = meter.step(reading)
    if (ended === null) return
    const { level, minute, next } = ended
    if (level !== null) recent = [...recent, { minute, level }]
    recent = recent.filter((at) => at.minute >= next - windowMinutes)
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
      passGap(timestampMs)
      takeMinute(source, reading)
      pattern = patternAt(timestampMs, mayTellPatterns)
      const unknownPresence = follow(latches.presence, timestampMs, present)
      const share = week?.source === source ? occupiedShare(week) : null
      const rare = share !== null && share < hardlyEverShare
      return {
        unknownPresence,
        unexpectedOccupancy: {
          ...follow(latches.occupancy, timestampMs, rare && unknownPresence.active),
          reason: share === null
            ? notLearned(week?.source === source ? week : null)
            : rare
            ? null
            : `Persons are present in more than ${hardlyEver} % of the week, so no presence is unexpected.`,
        },
        unrecognizedActivityPattern: pattern,
        anomaly,
      }
    },
  }
}
