/** Sums of frames for tests. */
import { type EnvironmentSums, noFrames } from "../../../core/analytics/figures.ts"
import type { SpanColumns } from "../../../core/analytics/occupancy.ts"

/** Sums whose frames all count persons: one each, unless the frames are given by their number of persons. */
export const sumsOf = (over: Partial<EnvironmentSums> = {}): EnvironmentSums => ({
  ...noFrames,
  frames1: "frames0" in over ? 0 : over.frames ?? 0,
  environmentId: "home",
  personMax: 0,
  ...over,
})

interface Span {
  readonly persons: number
  /** 0..1 of the person-frames. */
  readonly lying?: number
  readonly max?: number
}

/** Successive spans of five minutes; null is a gap. */
export const spansOf = (fromMs: number, spans: ReadonlyArray<Span | null>, environmentId = "home"): SpanColumns => {
  const there = spans.flatMap((span, i) => span === null ? [] : [{ ...span, startMs: fromMs + i * 300_000 }])
  return {
    environmentId,
    startMs: there.map(({ startMs }) => startMs),
    personFrames: there.map(({ persons }) => 3000 * persons),
    lying: there.map(({ lying = 0, persons }) => 3000 * persons * lying),
    personMax: there.map(({ max, persons }) => max ?? Math.ceil(persons)),
  }
}
