/**
 * The activity level of a minute, in four levels: the input of a site's learned week.
 *
 * Reduces ten readings per second to one level per minute, in event time. A minute with too few readings has no level.
 */

/** No person; a still person; little motion; much motion. */
const activityLevels = ["empty", "still", "moving", "lively"] as const
export const levelCount = activityLevels.length
/** Index into `activityLevels`. */
export type ActivityLevel = 0 | 1 | 2 | 3

const minuteMs = 60_000
/** Minimum share of a minute's readings with known presence. */
const knownShareMin = 0.5
/** Mean of `motion` (0..1, one half at the echo of a torso 20 dB below the static response) from which a level begins. */
const movingMotion = 0.02
const livelyMotion = 0.25

export interface LevelReading {
  readonly timestampMs: number
  /** Null if unknown. */
  readonly present: boolean | null
  readonly motion: number | null
}

interface MinuteLevel {
  /** Minutes since the Unix epoch. */
  readonly minute: number
  /** Null with too few readings. */
  readonly level: ActivityLevel | null
  /** The minute of the reading that completed it: later than the next one after a silence. */
  readonly next: number
}

interface MinuteMeter {
  /** Adds a reading. Returns the minute that it completed, if any. If time goes back, a new minute begins. */
  readonly step: (reading: LevelReading) => MinuteLevel | null
}

const levelOf = (occupied: boolean, motion: number): ActivityLevel => {
  if (!occupied) return 0
  if (motion < movingMotion) return 1
  return motion < livelyMotion ? 2 : 3
}

export const createMinuteMeter = (): MinuteMeter => {
  let minute: number | null = null
  let readings = 0
  let known = 0
  let present = 0
  let motion = 0

  const ended = (next: number): MinuteLevel | null => {
    if (minute === null || readings === 0) return null
    const level = known < knownShareMin * readings ? null : levelOf(2 * present >= known, motion / Math.max(1, known))
    return { minute, level, next }
  }

  return {
    step: (reading) => {
      const now = Math.floor(reading.timestampMs / minuteMs)
      const done = minute !== null && now > minute ? ended(now) : null
      if (now !== minute) {
        minute = now
        readings =
          known =
          present =
          motion =
            0
      }
      readings++
      if (reading.present !== null) {
        known++
        if (reading.present) present++
        motion += reading.motion ?? 0
      }
      return done
    },
  }
}
