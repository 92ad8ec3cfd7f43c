/**
 * A calibration run: the progress of a router's timed calibration.
 *
 * Time is event time, so a replayed calibration takes as long as the original. Boundary: `calibration.ts` computes the
 * calibration of each link.
 */
import { hopUs } from "../observation/observation.ts"

/** The two sides of a calibration: the empty room, or the room with a person who sits, stands and walks in it. */
export type CalibratedRoom = "empty" | "occupied"

/** Progress of a calibration. Times are event time. */
export interface CalibrationProgress {
  readonly room: CalibratedRoom
  readonly durationUs: number
  readonly elapsedUs: number
  readonly done: boolean
  /** Hops with packets so far, and the number of them with motion. An empty room should have none. */
  readonly hops: number
  readonly movingHops: number
  /** Links that were calibrated when the run ended. */
  readonly linksCalibrated: number
}

/** Tracks one calibration. */
export class CalibrationRun {
  #progress: CalibrationProgress
  #firstHop = -1

  constructor(room: CalibratedRoom, durationUs: number) {
    this.#progress = { room, durationUs, elapsedUs: 0, done: false, hops: 0, movingHops: 0, linksCalibrated: 0 }
  }

  get progress(): CalibrationProgress {
    return this.#progress
  }

  /**
   * Takes a hop with packets. When the duration is over, `finish` ends the calibration of the links and returns how
   * many have one.
   */
  take(hop: number, moving: boolean, finish: () => number): void {
    const progress = this.#progress
    if (progress.done) return
    if (this.#firstHop < 0) this.#firstHop = hop
    const elapsedUs = (hop - this.#firstHop + 1) * hopUs
    const done = elapsedUs >= progress.durationUs
    this.#progress = {
      ...progress,
      elapsedUs,
      done,
      hops: progress.hops + 1,
      movingHops: progress.movingHops + (moving ? 1 : 0),
      linksCalibrated: done ? finish() : 0,
    }
  }
}
