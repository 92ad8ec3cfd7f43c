/**
 * The world of a simulated cluster: its clock, its randomness and its journal.
 *
 * Invariant: everything that happens is decided by the seed and the order of events in virtual time, so that two runs of a seed write the
 * same journal, byte for byte.
 */
import { type Clock, Duration, type Effect } from "effect"
import { createRandom, type Random, uniformIn } from "../randomness/random.ts"

export interface World {
  /** The true time, which no process sees while it is frozen or its clock is wrong. */
  readonly clock: Clock.Clock
  readonly random: Random
  /** Milliseconds since the start of the run. */
  readonly nowMs: () => number
  /** Appends a line to the journal. */
  readonly note: (line: string) => void
  readonly journal: ReadonlyArray<string>
  /** A random time, milliseconds. */
  readonly between: (lowMs: number, highMs: number) => number
  /** Sleeps by the true time. */
  readonly sleep: (ms: number) => Effect.Effect<void>
}

export const makeWorld = (seed: number, clock: Clock.Clock): World => {
  const startMs = clock.currentTimeMillisUnsafe()
  const random = createRandom(seed, "cluster world")
  const journal: Array<string> = []
  const nowMs = () => clock.currentTimeMillisUnsafe() - startMs
  return {
    clock,
    random,
    nowMs,
    note: (line) => void journal.push(`${nowMs()} ${line}`),
    journal,
    between: (lowMs, highMs) => Math.floor(uniformIn(random, lowMs, highMs)),
    sleep: (ms) => clock.sleep(Duration.millis(ms)),
  }
}
