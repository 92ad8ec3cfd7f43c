/**
 * A motion: keyframes of a pose with smooth blends between them.
 *
 * Owns the interpolation. Boundary: `motions/` has the keyframes.
 *
 * 1. Each channel has its own keyframes: a channel that a keyframe omits continues to the next keyframe that names it.
 * 2. Between keyframes a channel follows the polynomial of fifth degree that starts and ends with given rates and zero
 *    acceleration; from rest to rest this is the path of minimum jerk (Flash and Hogan 1985).
 * 3. A channel passes a middle keyframe with the smaller of the slopes on both sides, or at rest where it turns back, so it
 *    never leaves the range of its keyframes.
 */
import type { Activity } from "./activity.ts"
import { type Channel, channel, channelCount, type Pose, type Shape } from "./pose.ts"

export interface Keyframe {
  /** Since the start of the motion; increasing. */
  readonly atS: number
  readonly set: Shape
  /** Rates per second that replace those of invariant 3. */
  readonly rates?: Shape
  /** Activity of the person from here on. */
  readonly activity?: Activity
}

export interface Motion {
  readonly durationS: number
  /** Times, here and below, never decrease. */
  readonly activityAt: (timeS: number) => Activity | null
  /** Writes the moving channels. */
  readonly write: (timeS: number, into: Pose) => void
}

interface Knots {
  readonly times: Array<number>
  readonly values: Array<number>
  /** NaN where the rate follows from the neighbours. */
  readonly rates: Array<number>
}

const knotsOf = (from: Pose, rates: Pose | null, frames: ReadonlyArray<Keyframe>): ReadonlyArray<Knots | null> => {
  const knots: Array<Knots | null> = Array.from({ length: channelCount }, () => null)
  for (const { atS, rates: given, set } of frames) {
    for (const [name, value] of Object.entries(set)) {
      const index = channel[name as Channel]
      const known = knots[index] ?? { times: [0], values: [from[index]!], rates: [rates === null ? 0 : rates[index]!] }
      known.times.push(atS)
      known.values.push(value)
      known.rates.push(given?.[name as Channel] ?? Number.NaN)
      knots[index] = known
    }
  }
  return knots
}

const rateAt = ({ rates, times, values }: Knots, i: number): number => {
  const given = rates[i]!
  if (!Number.isNaN(given)) return given
  if (i === times.length - 1) return 0
  const before = (values[i]! - values[i - 1]!) / (times[i]! - times[i - 1]!)
  const after = (values[i + 1]! - values[i]!) / (times[i + 1]! - times[i]!)
  return before * after <= 0 ? 0 : Math.sign(before) * Math.min(Math.abs(before), Math.abs(after))
}

/** Numbers per segment: end time, start time, 1 / duration, start value, start rate, then the coefficients of u^3 to u^5. */
const stride = 8

/** The motion through the keyframes, from a pose that changes at `rates` (null: at rest). */
export const createMotion = (from: Pose, rates: Pose | null, frames: ReadonlyArray<Keyframe>): Motion => {
  const knots = knotsOf(from, rates, frames)
  const moving = knots.flatMap((known, index) => known === null ? [] : [{ index, known }])
  const segments = new Float64Array(stride * moving.reduce((sum, { known }) => sum + known.times.length - 1, 0))
  const first = new Int32Array(moving.length)
  const last = new Int32Array(moving.length)
  const target = Int32Array.from(moving, ({ index }) => index)
  let at = 0
  for (const [k, { known }] of moving.entries()) {
    first[k] = at
    for (let i = 0; i + 1 < known.times.length; i++) {
      const start = known.values[i]!
      const duration = known.times[i + 1]! - known.times[i]!
      const way = known.values[i + 1]! - start
      const startRate = rateAt(known, i) * duration
      const endRate = rateAt(known, i + 1) * duration
      segments.set([
        known.times[i + 1]!,
        known.times[i]!,
        1 / duration,
        start,
        startRate,
        10 * way - 6 * startRate - 4 * endRate,
        -15 * way + 8 * startRate + 7 * endRate,
        6 * way - 3 * startRate - 3 * endRate,
      ], at)
      last[k] = at
      at += stride
    }
  }

  const write = (timeS: number, into: Pose): void => {
    for (let k = 0; k < target.length; k++) {
      let s = first[k]!
      while (s < last[k]! && timeS >= segments[s]!) s += stride
      first[k] = s
      const u = Math.max(0, Math.min(1, (timeS - segments[s + 1]!) * segments[s + 2]!))
      const cubic = segments[s + 5]! + u * (segments[s + 6]! + u * segments[s + 7]!)
      into[target[k]!] = segments[s + 3]! + u * (segments[s + 4]! + u * u * cubic)
    }
  }
  const labels = frames.filter(({ activity }) => activity !== undefined)
  let passed = 0
  const activityAt = (timeS: number): Activity | null => {
    while (passed < labels.length && labels[passed]!.atS <= timeS) passed++
    return labels[passed - 1]?.activity ?? null
  }
  const durationS = frames.reduce((latest, { atS }) => Math.max(latest, atS), 0)
  return { durationS, activityAt, write }
}
