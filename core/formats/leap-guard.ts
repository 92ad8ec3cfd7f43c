/**
 * The leap guard: keeps one damaged time from moving a stream of frames ahead.
 *
 * Owns the frames whose time is far ahead of the one before. They wait for the next time. If it goes back, theirs was damaged, and
 * they get the time of the frame before them; else it is a silence, and they keep it. `device-clock.ts` gives the times.
 *
 * Invariant: at most `waitingMax` frames wait, all with the same time.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { leapUsMin, reorderUsMax } from "./device-clock.ts"

/** A packet has no more frames. */
const waitingMax = 64

export class LeapGuard {
  readonly #add: (frame: CsiFrame) => void
  #latestUs: number | null = null
  #waiting: Array<CsiFrame> = []

  /** @param add takes the frames in their order, and copies `csi` */
  constructor(add: (frame: CsiFrame) => void) {
    this.#add = add
  }

  /** Adds a frame, and copies its `csi` if it must wait. */
  add(frame: CsiFrame): void {
    const { timestampUs } = frame
    const leapUs = this.#waiting[0]?.timestampUs
    if (leapUs !== undefined && (timestampUs !== leapUs || this.#waiting.length === waitingMax)) {
      this.#release(timestampUs < leapUs - reorderUsMax)
    }
    if (this.#latestUs !== null && timestampUs - this.#latestUs > leapUsMin) {
      this.#waiting.push({ ...frame, csi: frame.csi.slice() })
    } else this.#pass(frame)
  }

  /** Passes the waiting frames on at the end of a capture: nothing refutes their time. */
  finish(): void {
    this.#release(false)
  }

  #release(isDamaged: boolean): void {
    const { length } = this.#waiting
    if (length === 0) return
    const timestampUs = isDamaged ? this.#latestUs! : this.#waiting[0]!.timestampUs
    for (const frame of this.#waiting) this.#pass({ ...frame, timestampUs })
    this.#waiting = []
  }

  #pass(frame: CsiFrame): void {
    this.#latestUs = frame.timestampUs
    this.#add(frame)
  }
}
