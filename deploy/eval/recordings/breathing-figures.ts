/** Figures of the breathing rate on labelled recordings, second by second. */
import type { Capture } from "./captures.ts"
import type { JudgedSecond } from "./replay.ts"

/** A rate that differs more is wrong, per minute. */
const errorMax = 0.5

export interface BreathingFigures {
  readonly capture: Capture
  /** Seconds of the label, and percent of them that have a rate. */
  readonly seconds: number
  readonly answeredPercent: number
  /** Median difference from the counted rate; null without a rate, or where none was counted. */
  readonly medianErrorBpm: number | null
  /** Seconds with a rate that differs by more than 0.5/min, or with a rate in an empty room. */
  readonly wrongSeconds: number
}

export const breathingFigures = (capture: Capture, seconds: ReadonlyArray<JudgedSecond>): BreathingFigures => {
  const truth = capture.label.breathingPerMinute
  const answered = seconds.flatMap(({ rateBpm, state }) => rateBpm === null ? [] : [{ rateBpm, state }])
  const errors = truth === null ? [] : answered.map(({ rateBpm }) => Math.abs(rateBpm - truth)).sort((a, b) => a - b)
  return {
    capture,
    seconds: seconds.length,
    answeredPercent: seconds.length === 0 ? 0 : 100 * answered.length / seconds.length,
    medianErrorBpm: errors[errors.length >> 1] ?? null,
    // A moving person breathes, too, but at a rate that was not counted.
    wrongSeconds: truth === null
      ? answered.filter(({ state }) => state === "empty").length
      : errors.filter((error) => error > errorMax).length,
  }
}
