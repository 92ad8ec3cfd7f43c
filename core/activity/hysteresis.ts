/**
 * A latch: a yes or no that does not flutter.
 *
 * Invariants: it turns on after its input was true for `onS` without a break, off after it was false for `offS` without a
 * break; in between it keeps what it said. Time is given and never goes back.
 */

export interface LatchOptions {
  readonly onS: number
  readonly offS: number
}

export interface LatchReading {
  readonly on: boolean
  /** When the input became what `on` says, before the latch believed it; null before the first step. */
  readonly sinceS: number | null
  /** The latch turned with this step. */
  readonly turned: boolean
}

export interface Latch {
  readonly step: (timeS: number, input: boolean) => LatchReading
  readonly read: () => LatchReading
}

/** @param on what it says at first. */
export const createLatch = ({ offS, onS }: LatchOptions, on = false): Latch => {
  let reading: LatchReading = { on, sinceS: null, turned: false }
  /** Since when the input contradicts the latch. */
  let againstSinceS: number | null = null
  return {
    read: () => reading,
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
