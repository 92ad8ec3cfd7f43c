/** Figures of the breathing rate on labelled recordings, second by second. */
import type { Capture } from "./captures.ts"
import type { JudgedSecond } from "./replay.ts"

/** A rate that differs more is wrong, per minute. */
const errorMax = 0.5

export interface BreathingFigures {
  readonly capture: Capture
  /** The counted rates, per minute, each once. */
  readonly countedBpm: ReadonlyArray<number>
  /** Judged seconds with a person or a machine that breathes, and percent of them that have a rate; null without any. */
  readonly seconds: number
  readonly answeredPercent: number | null
  /** Median difference from the rate that was counted at that time; null without a rate, or where none was counted. */
  readonly medianErrorBpm: number | null
  /** Seconds with a rate that differs from the counted one by more than 0.5/min. */
  readonly wrongSeconds: number
  /** Seconds with a rate in an empty room. */
  readonly emptySeconds: number
}

export const breathingFigures = (capture: Capture, seconds: ReadonlyArray<JudgedSecond>): BreathingFigures => {
  const occupied = seconds.filter(({ span }) => span.state !== "empty")
  const answered = occupied.filter(({ rateBpm }) => rateBpm !== null)
  // A moving person breathes, too, but at a rate that was not counted.
  const errors = answered.flatMap(({ rateBpm, span: { breathingPerMinute } }) =>
    breathingPerMinute === null ? [] : [Math.abs(rateBpm! - breathingPerMinute)]
  ).sort((a, b) => a - b)
  return {
    capture,
    countedBpm: [...new Set(capture.label.spans.flatMap(({ breathingPerMinute }) => breathingPerMinute ?? []))],
    seconds: occupied.length,
    answeredPercent: occupied.length === 0 ? null : 100 * answered.length / occupied.length,
    medianErrorBpm: errors[errors.length >> 1] ?? null,
    wrongSeconds: errors.filter((error) => error > errorMax).length,
    emptySeconds: seconds.filter(({ rateBpm, span }) => span.state === "empty" && rateBpm !== null).length,
  }
}
