/**
 * The time by which the retention judges age: the wall clock, unless it was set far ahead.
 *
 * A clock that is ahead, after a wrong answer of NTP or on a machine that was resumed, must not delete what is not old. So a leap of more
 * than `leapMsMax`, beside the time that has passed, counts only after it has lasted for `doubtMs` in this process. The time before the process
 * is that of the newest stored data. A service that was off for longer therefore deletes old data a day after its start.
 * A leap back counts at once, because less is too old by it, but the time after it is expected to be the old one until it has lasted as
 * long: a machine without a battery for its clock starts in 1970, and is then set.
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
  /** Direction of the leap that is doubted, 1 ahead and -1 back; 0: none. */
  #leap = 0
  #doubtedSinceMs = 0

  /** @param newestStoredMs the time of the newest stored data; null: there are none */
  constructor(start: Reading, newestStoredMs: number | null) {
    this.#trusted = { ...start, wallMs: newestStoredMs ?? start.wallMs }
  }

  /** The time for a sweep, and by how much the wall clock is ahead of it; 0: it is that of the wall clock. */
  read(now: Reading): { readonly atMs: number; readonly aheadMs: number } {
    const expectedMs = this.#trusted.wallMs + now.monotonicMs - this.#trusted.monotonicMs
    const aheadMs = now.wallMs - expectedMs
    const leap = Math.abs(aheadMs) > leapMsMax ? Math.sign(aheadMs) : 0
    if (leap !== this.#leap) this.#doubtedSinceMs = now.monotonicMs
    this.#leap = leap
    if (leap === 0 || now.monotonicMs - this.#doubtedSinceMs >= doubtMs) {
      this.#leap = 0
      this.#trusted = now
    } else if (leap > 0) return { atMs: expectedMs, aheadMs }
    return { atMs: now.wallMs, aheadMs: 0 }
  }
}
