/**
 * Splits a range of time into whole minutes, which have sums, and its ends, whose frames are read.
 *
 * Invariant: the parts are adjacent, do not overlap and form the range. An end is shorter than two minutes.
 */
import { minuteMs } from "../../../core/analytics/calendar.ts"

/** From `fromMs`, inclusive, to `toMs`, exclusive; null: no limit. */
interface TimeSpan {
  readonly fromMs: number | null
  readonly toMs: number | null
}

interface MinuteSlices {
  /** Less than a minute at the start, or a range without a whole minute; null if empty. */
  readonly before: { readonly fromMs: number; readonly toMs: number } | null
  /** Whole minutes. */
  readonly minutes: TimeSpan | null
  /** Less than a minute at the end. */
  readonly after: { readonly fromMs: number; readonly toMs: number } | null
}

/** Splits a range. It is empty if it ends before it begins. */
export const minuteSlicesOf = ({ fromMs, toMs }: TimeSpan): MinuteSlices => {
  const firstMs = fromMs === null ? null : Math.ceil(fromMs / minuteMs) * minuteMs
  const lastMs = toMs === null ? null : Math.floor(toMs / minuteMs) * minuteMs
  if (fromMs !== null && toMs !== null && firstMs! >= lastMs!) {
    return { before: fromMs < toMs ? { fromMs, toMs } : null, minutes: null, after: null }
  }
  return {
    before: fromMs !== null && fromMs < firstMs! ? { fromMs, toMs: firstMs! } : null,
    minutes: { fromMs: firstMs, toMs: lastMs },
    after: toMs !== null && lastMs! < toMs ? { fromMs: lastMs!, toMs } : null,
  }
}
