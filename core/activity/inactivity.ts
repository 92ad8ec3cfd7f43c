/**
 * Inactivity: how long somebody who is there has not moved.
 *
 * Boundary: what counts as a movement is decided by whoever asks; this file keeps the time. Invariants: a movement of less than
 * `moveS` is none; the time runs only while somebody is there and is not exempt, e.g. in bed.
 */
import { createLatch } from "./hysteresis.ts"

export interface StillnessInput {
  readonly timeS: number
  /** Somebody is there. */
  readonly present: boolean
  readonly moving: boolean
  readonly exempt: boolean
}

export interface Stillness {
  /** Since when nothing moves; null while something does, nobody is there, or the stillness is exempt. */
  readonly step: (input: StillnessInput) => number | null
  /** Goes on with a stillness that began elsewhere, e.g. with a track that was lost. */
  readonly resume: (sinceS: number) => void
}

const moveS = 0.3
/** Who was there is taken to be there for so long without a sign. */
const absentS = 60

export const createStillness = (): Stillness => {
  const moving = createLatch({ onS: moveS, offS: 0 })
  const present = createLatch({ onS: 0, offS: absentS })
  let sinceS: number | null = null
  return {
    step: (input) => {
      const isThere = present.step(input.timeS, input.present).on
      const moves = moving.step(input.timeS, input.moving).on
      if (!isThere || moves || input.exempt) sinceS = null
      else sinceS ??= input.timeS
      return sinceS
    },
    resume: (atS) => {
      sinceS = atS
    },
  }
}

/** How serious it is: by how often the threshold has passed. */
export const inactivitySeverity = (stillS: number, thresholdS: number): "medium" | "high" | "critical" =>
  stillS < 2 * thresholdS ? "medium" : stillS < 4 * thresholdS ? "high" : "critical"
