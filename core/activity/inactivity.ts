/**
 * Inactivity: how long a present person has not moved.
 *
 * Boundary: the caller decides what counts as a movement; this file keeps the time. Invariants: a movement shorter than
 * `moveS` is ignored; the time runs only while a person is present and not exempt, e.g. in bed.
 */
import { createLatch } from "./hysteresis.ts"

interface StillnessInput {
  readonly timeS: number
  /** A person is present. */
  readonly present: boolean
  readonly moving: boolean
  readonly exempt: boolean
}

export interface Stillness {
  /** Start of the stillness; null while something moves, without presence, or while it is exempt. */
  readonly step: (input: StillnessInput) => number | null
}

const moveS = 0.3
/** Presence is held for this long without evidence. */
const absentS = 60

/** @param heldSinceS start of a stillness that continues, e.g. with a lost track: its person counts as present at first */
export const createStillness = (heldSinceS: number | null = null): Stillness => {
  const moving = createLatch({ onS: moveS, offS: 0 })
  const present = createLatch({ onS: 0, offS: absentS }, heldSinceS !== null)
  let sinceS = heldSinceS
  return {
    step: (input) => {
      const isThere = present.step(input.timeS, input.present).on
      const moves = moving.step(input.timeS, input.moving).on
      if (!isThere || moves || input.exempt) sinceS = null
      else sinceS ??= input.timeS
      return sinceS
    },
  }
}

/** Severity of an inactivity by multiples of the threshold. */
export const inactivitySeverity = (stillS: number, thresholdS: number): "medium" | "high" | "critical" =>
  stillS < 2 * thresholdS ? "medium" : stillS < 4 * thresholdS ? "high" : "critical"
