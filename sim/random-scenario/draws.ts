/** Turns options of a suite into values: fixed values are kept, ranges and choices are drawn. */
import { type Random, uniformIn } from "../randomness/random.ts"

/** A fixed value, or a closed range to draw from. */
export type Ranged = number | readonly [low: number, high: number]

/** A value, or several to draw one from. */
export type OneOf<T> = T | ReadonlyArray<T>

export const drawInteger = (random: Random, range: Ranged): number => {
  if (typeof range === "number") return range
  const [low, high] = range
  return Math.min(high, low + Math.floor((high - low + 1) * random.uniform()))
}

export const drawNumber = (random: Random, range: Ranged): number =>
  typeof range === "number" ? range : uniformIn(random, range[0], range[1])

export const drawOne = <T>(random: Random, among: ReadonlyArray<T>): T =>
  among[Math.min(among.length - 1, Math.floor(among.length * random.uniform()))]!

export const chance = (random: Random, share: number): boolean => random.uniform() < share

/** Normal, clamped at both ends. */
export const drawNormal = (random: Random, mean: number, sigma: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, mean + sigma * random.normal()))

/** Rounded to `digits` decimals, which keeps scenarios readable. */
export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits))
