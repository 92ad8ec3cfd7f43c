/** The clock of durations and deadlines within this process, milliseconds of an arbitrary origin. The wall clock can be set back. */
import { Clock, Effect } from "effect"

export const monotonicMs: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (ns) => Number(ns / 1_000_000n))
