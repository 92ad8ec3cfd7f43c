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

/** A longer step from hop to hop is that of a clock that was set, or a lost router, and counts as one hop: 30 s. */
const stepHopsMax = 300

/** Tracks one calibration. */
export class CalibrationRun {
  #progress: CalibrationProgress
  /** -1 before the first. */
  #lastHop = -1

  constructor(room: CalibratedRoom, durationUs: number) {
    this.#progress = { room, durationUs, elapsedUs: 0, done: false, hops: 0, movingHops: 0, linksCalibrated: 0 }
  }

  get progress(): CalibrationProgress {
    return this.#progress
  }

  /** Begins again, because what the links have gathered is lost. */
  restart(): void {
    if (this.#progress.done) return
    this.#lastHop = -1
    this.#progress = { ...this.#progress, elapsedUs: 0, hops: 0, movingHops: 0 }
  }

  /**
   * Takes a hop with packets; hops ascend until a restart. When the duration is over, `finish` ends the calibration of the links and returns how
   * many have one.
   */
  take(hop: number, moving: boolean, finish: () => number): void {
    const progress = this.#progress
    if (progress.done) return
    const step = this.#lastHop < 0 ? 1 : hop - this.#lastHop
    this.#lastHop = hop
    const elapsedUs = progress.elapsedUs + (step > stepHopsMax ? 1 : step) * hopUs
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
