/**
 * UUIDs of version 7 (RFC 9562): ordered by time, from an injected clock and an injected source of random numbers.
 * They name requests, connections and tokens; they are not secrets.
 */
import { Clock, Effect, Random } from "effect"

/** 24 bits as six hexadecimal digits. */
const hex24 = (value: number): string => (2 ** 24 + value).toString(16).slice(1)

/** 48 bits as twelve hexadecimal digits, in two halves: small integers are formatted many times faster. */
const hex48 = (value: number): string => {
  const high = Math.floor(value / 2 ** 24)
  return hex24(high) + hex24(Math.floor(value) - high * 2 ** 24)
}

/** A UUIDv7 of the epoch milliseconds `nowMs`; `random` returns numbers from 0 to 1, 1 excluded. */
export const uuid7 = (nowMs: number, random: () => number): string => {
  const time = hex48(nowMs)
  const bits = Math.floor(random() * 2 ** 26)
  const versioned = (0x7000 | (bits & 0xfff)).toString(16)
  const variant = (0x8000 | (bits >> 12)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${hex48(random() * 2 ** 48)}`
}

/** A maker of UUIDs from the clock and the random numbers in context. */
export const makeUuids: Effect.Effect<() => string> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  return () => uuid7(clock.currentTimeMillisUnsafe(), () => random.nextDoubleUnsafe())
})
