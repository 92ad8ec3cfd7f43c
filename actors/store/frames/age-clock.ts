/**
 * The time by which the retention judges age: the wall clock, unless it has leapt ahead.
 *
 * A clock that is ahead, after a wrong answer of NTP or on a machine that was resumed, must not delete what is not old. So a leap of more
 * than `leapMsMax`, beside the time that has passed, counts only after it has lasted for `doubtMs` in this process. The time before the process
 * is that of the newest stored data. A service that was off for longer therefore deletes old data a day after its start.
 *
 * Pure except for its own state. Boundary: data that were stored under a clock that is ahead are not recognised after a restart.
 */
import { dayMs } from "../../../core/analytics/calendar.ts"

const leapMsMax = dayMs
const doubtMs = dayMs

/** A reading of both clocks. */
interface Reading {
  readonly wallMs: number
  readonly monotonicMs: number
}

export class AgeClock {
  #trusted: Reading
  #doubtedSinceMs: number | null = null

  /** @param newestStoredMs the time of the newest stored data; null: there are none */
  constructor(start: Reading, newestStoredMs: number | null) {
    this.#trusted = { ...start, wallMs: newestStoredMs ?? start.wallMs }
  }

  /** The time for a sweep, and by how much the wall clock is ahead of it; 0: it is that of the wall clock. */
  read(now: Reading): { readonly atMs: number; readonly aheadMs: number } {
    const expectedMs = this.#trusted.wallMs + now.monotonicMs - this.#trusted.monotonicMs
    const aheadMs = now.wallMs - expectedMs
    if (aheadMs <= leapMsMax) this.#doubtedSinceMs = null
    else {
      this.#doubtedSinceMs ??= now.monotonicMs
      if (now.monotonicMs - this.#doubtedSinceMs < doubtMs) return { atMs: expectedMs, aheadMs }
      this.#doubtedSinceMs = null
    }
    this.#trusted = now
    return { atMs: now.wallMs, aheadMs: 0 }
  }
}
