/**
 * How much goes on in a minute, in four levels: what a site's week is learned from.
 *
 * Owns the way from ten readings a second to one level a minute, in event time. A minute of which too little is known has none.
 */

/** Nobody there; somebody who keeps still; who moves a little; who moves much. */
const activityLevels = ["empty", "still", "moving", "lively"] as const
export const levelCount = activityLevels.length
/** Index into `activityLevels`. */
export type ActivityLevel = 0 | 1 | 2 | 3

const minuteMs = 60_000
/** Share of a minute's readings that must say whether somebody is there. */
const knownShareMin = 0.5
/** Mean of `motion` (0..1, one half at the echo of a torso 20 dB below the static response) at which a level begins. */
const movingMotion = 0.02
const livelyMotion = 0.25

export interface LevelReading {
  readonly timestampMs: number
  /** Null when the signal does not say. */
  readonly present: boolean | null
  readonly motion: number | null
}

interface MinuteLevel {
  /** Minutes since the Unix epoch. */
  readonly minute: number
  /** Null when too little of the minute is known. */
  readonly level: ActivityLevel | null
}

interface MinuteMeter {
  /** Takes a reading; answers the minute that it ended, if it did. Time that goes back begins a minute anew. */
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

  const ended = (): MinuteLevel | null => {
    if (minute === null || readings === 0) return null
    const level = known < knownShareMin * readings ? null : levelOf(2 * present >= known, motion / Math.max(1, known))
    return { minute, level }
  }

  return {
    step: (reading) => {
      const now = Math.floor(reading.timestampMs / minuteMs)
      const done = minute !== null && now > minute ? ended() : null
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
