/**
 * A range of time as whole minutes and what is left at its ends: sums exist for the former, frames are read for the latter.
 *
 * Invariant: the parts lie one after the other, do not overlap and make up the range; an end is shorter than two minutes.
 */

/** From `fromMs`, included, to `toMs`, not included; null without a limit. */
interface TimeSpan {
  readonly fromMs: number | null
  readonly toMs: number | null
}

interface MinuteSlices {
  /** Less than a minute at the begin, or a range without a whole minute; null for nothing. */
  readonly before: { readonly fromMs: number; readonly toMs: number } | null
  /** Whole minutes. */
  readonly minutes: TimeSpan | null
  /** Less than a minute at the end. */
  readonly after: { readonly fromMs: number; readonly toMs: number } | null
}

export const minuteMs = 60_000

/** Cuts a range, which is empty when it ends before it begins. */
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
