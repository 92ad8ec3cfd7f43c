/**
 * The clock of a source against the service's: distinguishes a wrong clock from late values.
 *
 * The lag of a value is its arrival, by the service's clock, minus its event time. It is the clock's offset plus the delay, and a delay is
 * never negative. So the least lag that was seen is the best estimate of the offset, as in NTP's clock filter. The estimate may grow by
 * `driftMax` only, because an oscillator drifts while a delay jumps. An offset below `offsetMsMin` counts as none: it is the ordinary
 * delay of the network and of the hop.
 *
 * A replay has no pace but its own, so its offset is the lag of its newest value. A simulator reads the time of day: its clock may
 * run ahead (a simulation at more than its pace), never behind.
 *
 * Pure except for its own state; arrival times are arguments.
 */

/** Growth of the offset in milliseconds per millisecond: 200 ppm, twice the tolerance of a common crystal. */
const driftMax = 200e-6
const offsetMsMin = 1_000
/** Of the least lags that are kept for `lagMs`. */
const minuteMs = 60_000
/** An event time this much before the newest one is that of a clock that was set back. */
const setBackMs = 1_000

interface SourceClock {
  /** Takes the event time of a value and when it arrived. */
  readonly observe: (source: "live" | "replay" | "simulated", eventMs: number, arrivedMs: number) => void
  /**
   * The lag that is of the clock: the least one of the last one or two minutes, which includes the least delay; in a replay the newest. It follows
   * a clock that was set right, which `offsetMs` does not. Null before the first value.
   */
  readonly lagMs: () => number | null
  /** What has to be added to event time to get the service's time; 0 for a clock that is right. */
  readonly offsetMs: () => number
  /** Forgets everything. */
  readonly reset: () => void
}

/** The least lag of this minute and of the last one. */
const createRecentLag = () => {
  let minute = -Infinity
  let leastMs = Infinity
  let beforeMs = Infinity
  return (lagMs: number, arrivedMs: number): number => {
    const now = Math.floor(arrivedMs / minuteMs)
    if (now !== minute) {
      beforeMs = now === minute + 1 ? leastMs : Infinity
      leastMs = Infinity
      minute = now
    }
    leastMs = Math.min(leastMs, lagMs)
    return Math.min(leastMs, beforeMs)
  }
}

export const createSourceClock = (): SourceClock => {
  let leastLagMs = Infinity
  let newestEventMs = -Infinity
  let lastArrivedMs = 0
  let clockLagMs: number | null = null
  let recentLag = createRecentLag()
  let offsetMs = 0

  const forget = () => {
    leastLagMs = Infinity
    newestEventMs = -Infinity
    clockLagMs = null
    recentLag = createRecentLag()
    offsetMs = 0
  }

  return {
    observe: (source, eventMs, arrivedMs) => {
      if (eventMs < newestEventMs - setBackMs) forget()
      const lagMs = arrivedMs - eventMs
      const grownMs = leastLagMs + driftMax * Math.max(0, arrivedMs - lastArrivedMs)
      leastLagMs = Math.min(lagMs, grownMs)
      newestEventMs = Math.max(newestEventMs, eventMs)
      lastArrivedMs = arrivedMs
      clockLagMs = source === "replay" ? lagMs : recentLag(lagMs, arrivedMs)
      if (source === "replay") offsetMs = lagMs
      else {
        const bounded = source === "simulated" ? Math.min(0, leastLagMs) : leastLagMs
        offsetMs = Math.abs(bounded) < offsetMsMin ? 0 : bounded
      }
    },
    lagMs: () => clockLagMs,
    offsetMs: () => offsetMs,
    reset: forget,
  }
}
