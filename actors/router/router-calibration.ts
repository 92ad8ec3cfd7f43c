/**
 * The calibration of a router: its reference, restored from the store at first and saved when a calibration ends.
 *
 * Invariant: a calibrated reference is in the store before the calibration counts as ended. A save that fails is repeated with a later
 * batch, at most once in `saveAgainAfterMs`.
 */
import { Clock, Effect } from "effect"
import type { Reducer } from "../../core/reduction/reduce.ts"
import { decodeReferences, encodeReferences } from "../../protocols/grpc/reference.ts"
import type { CalibratedRoom } from "../../core/signal/calibration-run.ts"
import { monotonicMs } from "../runtime/monotonic.ts"
import { ReferenceStore } from "../store/sensing/calibrations.ts"

const saveTimeout = "2 seconds"
const saveAgainAfterMs = 5_000
/** Share of a calibration's hops with motion above which the room was not empty. */
const movingShareMax = 0.1

/** The calibrations of one router. */
export class RouterCalibration {
  /** Restores the saved reference of a router into its reducer. */
  static readonly restore = Effect.fnUntraced(function* (routerId: string, reducer: Reducer) {
    const store = yield* ReferenceStore
    const saved = yield* store.load(routerId)
    const references = saved === null ? null : decodeReferences(saved)
    if (references !== null) reducer.restore(references)
    else if (saved !== null) {
      yield* Effect.logWarning(`saved reference unreadable, learning a new one router=${routerId}`)
    }
    return new RouterCalibration(routerId, reducer, store)
  })

  readonly #routerId: string
  readonly #reducer: Reducer
  readonly #store: ReferenceStore["Service"]
  #running = false
  #saveAgainMs = -Infinity

  private constructor(routerId: string, reducer: Reducer, store: ReferenceStore["Service"]) {
    this.#routerId = routerId
    this.#reducer = reducer
    this.#store = store
  }

  start(room: CalibratedRoom, seconds: number): void {
    this.#reducer.startCalibration(room, seconds * 1e6)
    this.#running = true
  }

  /** Writes the references to the store. */
  readonly save = Effect.suspend(() => this.#save())

  readonly #save = Effect.fnUntraced({ self: this }, function* () {
    const known = this.#reducer.references()
    if (known.length > 0) {
      yield* this.#store.save(this.#routerId, yield* Clock.currentTimeMillis, encodeReferences(known))
    }
  })

  /** Ends a calibration whose time is over; true when it has ended now and its reference is saved. */
  readonly end: () => Effect.Effect<boolean> = Effect.fnUntraced({ self: this }, function* () {
    const ended = this.#reducer.calibration
    if (!this.#running || ended?.done !== true || (yield* monotonicMs) < this.#saveAgainMs) return false
    yield* Effect.timeout(this.save, saveTimeout)
    if (this.#reducer.calibration !== ended) return false
    this.#running = false
    this.#saveAgainMs = -Infinity
    const { hops, linksCalibrated, movingHops, room } = ended
    const id = `router=${this.#routerId}`
    yield* Effect.logInfo(
      `router calibrated ${id} room=${room} links=${linksCalibrated} hops=${hops} movingHops=${movingHops}`,
    )
    if (room === "empty" && movingHops > movingShareMax * hops) {
      yield* Effect.logWarning(
        `the room was not empty during its calibration: repeat it ${id} hops=${hops} movingHops=${movingHops}`,
      )
    }
    if (room === "occupied" && linksCalibrated === 0) {
      yield* Effect.logWarning(
        `no link has both sides, which need packets in 100 tenths of a second each: calibrate both again, longer ${id}`,
      )
    }
    return true
  }, Effect.catch((error) => Effect.as(this.#reportUnsaved(error.message), false)))

  readonly #reportUnsaved = Effect.fnUntraced({ self: this }, function* (message: string) {
    if (this.#saveAgainMs === -Infinity) {
      yield* Effect.logError(`calibration not saved yet, it is tried again router=${this.#routerId}: ${message}`)
    }
    this.#saveAgainMs = (yield* monotonicMs) + saveAgainAfterMs
  })
}
