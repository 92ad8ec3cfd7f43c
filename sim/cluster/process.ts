/**
 * A simulated process of a node: it runs, is frozen, or has ended.
 *
 * Owns the clock that the process sees, and the gate that everything from outside passes before it reaches the process: the end of a
 * sleep, the answer of a database, bytes of a peer. A frozen process does nothing and does not notice; one that has ended stays frozen.
 */
import { type Clock, Effect, Latch } from "effect"
import type { World } from "./world.ts"

export interface SimulatedProcess {
  /** The number of its node. */
  readonly node: number
  /** Differs between the processes of a node. */
  readonly name: string
  readonly clock: Clock.Clock
  /** Passes while the process runs. */
  readonly gate: Effect.Effect<void>
  readonly isFrozen: () => boolean
  readonly hasEnded: () => boolean
  readonly freeze: () => void
  readonly thaw: () => unknown
  /** Ends it at once: it does nothing any more. */
  readonly end: () => void
  /** Sets its wall clock wrong by this time. */
  readonly setClock: (byMs: number) => void
}

const nanosPerMilli = 1_000_000n

export const makeProcess = (world: World, node: number, incarnation: number): SimulatedProcess => {
  const name = `node-${node}.${incarnation}`
  const running = Latch.makeUnsafe(true)
  let ended = false
  let errorMs = 0
  const wallMs = () => world.clock.currentTimeMillisUnsafe() + errorMs
  const wallNs = () => world.clock.currentTimeNanosUnsafe() + BigInt(errorMs) * nanosPerMilli
  const clock: Clock.Clock = {
    ...world.clock,
    currentTimeMillisUnsafe: wallMs,
    currentTimeMillis: Effect.sync(wallMs),
    currentTimeNanosUnsafe: wallNs,
    currentTimeNanos: Effect.sync(wallNs),
    sleep: (duration) => Effect.andThen(world.clock.sleep(duration), running.await),
  }
  return {
    node,
    name,
    clock,
    gate: running.await,
    isFrozen: () => !running.isOpen(),
    hasEnded: () => ended,
    freeze: () => running.closeUnsafe(),
    thaw: () => ended || running.openUnsafe(),
    end: () => {
      ended = true
      running.closeUnsafe()
    },
    setClock: (byMs) => void (errorMs = byMs),
  }
}
