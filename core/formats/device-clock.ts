/**
 * Clocks of captures: the times of packets from the readings of a clock that wraps, restarts, is set, or is damaged in a record.
 *
 * Owns what a reading means beside those before it. Boundary: `leap-guard.ts` corrects a frame whose time a later reading refutes.
 */
import { reorderMax } from "./station-counter.ts"

const wrap = 2 ** 32

/** A reading that steps back by less is a packet out of order. */
export const reorderUsMax = 1_000_000
/** A reading further ahead needs the next one to confirm it. */
export const leapUsMin = 10_000_000
/** A longer silence is unlikely: a wrap that implies one, with a reading below this, is a restart. */
const silenceUsMax = 60_000_000

/** A reading far from the latest, and its time if the next one confirms it. */
interface Doubt {
  readonly reading: number
  readonly us: number
  /** The next reading confirms this one if it is not further ahead: no further than an unlikely silence, or than this one was itself. */
  readonly reachUs: number
}

/**
 * Times of a clock in microseconds. The first reading is time 0.
 *
 * A reading up to one second behind the latest is a packet out of order and gets its true, earlier time. A step back
 * of more than that, up to half the counter's range, is a device that restarted or a clock that was set: the pause is unknown, so time
 * continues from its last value. A step ahead of up to half the range is used unchanged, unless it is a wrap that looks like a restart.
 *
 * A reading that steps back, or ahead by more than ten seconds, may also be damaged. So it moves the clock only when the next reading
 * continues it. Until then, later readings are compared with the one before it.
 */
export class DeviceClock {
  #latestReading: number | null = null
  #latestUs = 0
  #doubt: Doubt | null = null
  readonly #wrapUs: number

  /** @param wrapUs range of the counter: at most 2^52, or infinite for a clock that does not wrap */
  constructor(wrapUs = wrap) {
    this.#wrapUs = wrapUs
  }

  /** Time of a reading, 0 to below the wrap, in microseconds since the first. May be negative for an out of order start. */
  at(reading: number): number {
    this.#latestReading ??= reading
    const doubt = this.#doubt
    if (doubt !== null && this.#continues(doubt, reading)) this.#moveTo(doubt.reading, doubt.us)
    const before = this.#latestReading
    const step = this.#step(before, reading)
    if (isNear(step)) {
      this.#doubt = null
      return step < 0 ? this.#latestUs + step : this.#moveTo(reading, this.#latestUs + step)
    }
    const restarted = step > silenceUsMax && reading < before && reading < silenceUsMax
    const ahead = restarted ? 0 : Math.max(0, step)
    this.#doubt = { reading, us: this.#latestUs + ahead, reachUs: Math.max(silenceUsMax, ahead) }
    return this.#doubt.us
  }

  /** Whether a reading confirms the doubted one, and does not rather continue the one before. */
  #continues(doubt: Doubt, reading: number): boolean {
    const onward = this.#step(doubt.reading, reading)
    const step = this.#step(this.#latestReading!, reading)
    return onward >= -reorderUsMax && onward <= doubt.reachUs && !(isNear(step) && Math.abs(step) < Math.abs(onward))
  }

  #moveTo(reading: number, us: number): number {
    this.#latestReading = reading
    this.#latestUs = us
    this.#doubt = null
    return us
  }

  /** Microseconds between two readings, by the shorter way around the counter. */
  #step(from: number, to: number): number {
    const step = to - from
    if (step < -this.#wrapUs / 2) return step + this.#wrapUs
    return step >= this.#wrapUs / 2 ? step - this.#wrapUs : step
  }
}

/** The reading of a 32-bit counter that was printed as a signed number: after half of its range it is negative. */
export const unsignedReading = (reading: number): number =>
  reading < 0 && reading >= -wrap / 2 ? reading + wrap : reading

const isNear = (step: number): boolean => step >= -reorderUsMax && step <= leapUsMin

/** Unwraps a u16 packet counter: the first reading stays as it is. A step back of more than a packet out of order is a restart. */
export class SequenceCounter {
  #latest: number | null = null

  at(reading: number): number {
    if (this.#latest === null) return this.#latest = reading
    const ahead = (reading - this.#latest + 0x20000) % 0x10000
    const behind = 0x10000 - ahead
    if (ahead < 0x8000) return this.#latest = (this.#latest + ahead) % wrap
    return behind <= reorderMax ? Math.max(0, this.#latest - behind) : this.#latest = reading
  }
}
