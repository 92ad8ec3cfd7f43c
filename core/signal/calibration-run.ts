/**
 * A calibration run: how far a timed calibration of a router is.
 *
 * Time is event time, so a replayed calibration takes what it took. Boundary: what links make of it is `calibration.ts`.
 */
import { hopUs } from "../observation/observation.ts"

/** The two sides of a calibration: nobody in the room, or somebody who sits, stands and walks about in it. */
export type CalibratedRoom = "empty" | "occupied"

/** How far a calibration is. Times are event time. */
export interface CalibrationProgress {
  readonly room: CalibratedRoom
  readonly durationUs: number
  readonly elapsedUs: number
  readonly done: boolean
  /** Hops with packets so far, and those of them in which something moved. In an empty room there should be none. */
  readonly hops: number
  readonly movingHops: number
  /** Links that are calibrated since it ended. */
  readonly linksCalibrated: number
}

/** Follows one calibration. */
export class CalibrationRun {
  #progress: CalibrationProgress
  #firstHop = -1

  constructor(room: CalibratedRoom, durationUs: number) {
    this.#progress = { room, durationUs, elapsedUs: 0, done: false, hops: 0, movingHops: 0, linksCalibrated: 0 }
  }

  get progress(): CalibrationProgress {
    return this.#progress
  }

  /** Takes a hop with packets. When the time is over, `finish` ends the links' calibration and says how many have one. */
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
