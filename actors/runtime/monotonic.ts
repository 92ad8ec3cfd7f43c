/** The clock of durations and deadlines within this process, milliseconds of an arbitrary origin. The wall clock can be set back. */
import { Clock, Effect } from "effect"

/** Whole ones, so that a fiber which sleeps until a time does not wake a fraction before it. */
const msOf = (ns: bigint): number => Number(ns / 1_000_000n)

export const monotonicMs: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, msOf)

/** For synchronous code. */
export const monotonicMsOf = (clock: Clock.Clock): number => msOf(clock.monotonicTimeNanosUnsafe())
