/**
 * A latch with hysteresis in time: a boolean without flutter.
 *
 * Invariants: it turns on after its input was true for `onS` without a break, and off after it was false for `offS`
 * without a break; otherwise it keeps its value. Time is given and never goes back.
 */

interface LatchOptions {
  readonly onS: number
  readonly offS: number
}

interface LatchReading {
  readonly on: boolean
  /** When the input changed to the value of `on`, before the latch turned; null before the first step. */
  readonly sinceS: number | null
  /** The latch turned with this step. */
  readonly turned: boolean
}

export interface Latch {
  readonly step: (timeS: number, input: boolean) => LatchReading
  readonly read: () => LatchReading
  /** Breaks the input: it must last anew to turn the latch. */
  readonly interrupt: () => void
}

/** @param on the initial value */
export const createLatch = ({ offS, onS }: LatchOptions, on = false): Latch => {
  let reading: LatchReading = { on, sinceS: null, turned: false }
  /** Start of the input's contradiction to the latch. */
  let againstSinceS: number | null = null
  return {
    read: () => reading,
    interrupt: () => {
      againstSinceS = null
    },
    step: (timeS, input) => {
      const { on, sinceS } = reading
      if (input === on) {
        againstSinceS = null
        return reading = { on, sinceS: sinceS ?? timeS, turned: false }
      }
      againstSinceS ??= timeS
      const turns = timeS - againstSinceS >= (on ? offS : onS)
      reading = turns
        ? { on: input, sinceS: againstSinceS, turned: true }
        : { on, sinceS: sinceS ?? timeS, turned: false }
      if (turns) againstSinceS = null
      return reading
    },
  }
}
