/** Silences of rooms in a soak: the time between two frames as a reader has them. */
import type { Room } from "../cluster/faults/rooms.ts"

export interface Silence {
  readonly environmentId: string
  readonly ms: number
  /** When it ended, on the reader's clock. */
  readonly endMs: number
}

/** A part of the soak, on the reader's clock. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** The longest silence of each room that ended in one of these spans, or still lasts at their end; the longest first. */
export const longestSilences = (rooms: ReadonlyArray<Room>, spans: ReadonlyArray<Span>): ReadonlyArray<Silence> =>
  rooms.map(({ arrivedMs, environmentId }) => {
    let longest = { environmentId, ms: 0, endMs: 0 }
    const take = (beganMs: number, endMs: number) => {
      if (endMs - beganMs > longest.ms) longest = { environmentId, ms: Math.round(endMs - beganMs), endMs }
    }
    for (const { fromMs, untilMs } of spans) {
      let beforeMs: number | null = null
      for (const ms of arrivedMs) {
        if (ms > untilMs) break
        if (beforeMs !== null && ms >= fromMs) take(beforeMs, ms)
        beforeMs = ms
      }
      if (beforeMs !== null) take(beforeMs, untilMs)
    }
    return longest
  }).sort((a, b) => b.ms - a.ms)

/** What lies between spans, from the first moment to the last. */
export const between = (spans: ReadonlyArray<Span>, { fromMs, untilMs }: Span): ReadonlyArray<Span> => {
  const free: Array<Span> = []
  let beginMs = fromMs
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    if (span.fromMs > beginMs) free.push({ fromMs: beginMs, untilMs: span.fromMs })
    beginMs = Math.max(beginMs, span.untilMs)
  }
  return beginMs < untilMs ? [...free, { fromMs: beginMs, untilMs }] : free
}
