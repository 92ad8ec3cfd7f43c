/**
 * A simulated process of a node: it runs, is frozen, or has ended. It has a thread for its event loop, and a worker thread, which continues
 * while the event loop hangs.
 *
 * Owns the clock that the process sees, and the gate that everything from outside passes before it reaches the process: the end of a
 * sleep, the answer of a database, bytes of a peer. A frozen process does nothing and does not notice; one that has ended stays frozen.
 */
import { type Clock, Effect, Latch } from "effect"
import type { World } from "./world.ts"

export interface SimulatedThread {
  /** The number of its node. */
  readonly node: number
  /** Differs between the processes of a node. */
  readonly name: string
  readonly clock: Clock.Clock
  /** Passes while the thread runs. */
  readonly gate: Effect.Effect<void>
}

export interface SimulatedProcess extends SimulatedThread {
  readonly worker: SimulatedThread
  /** Whether its event loop does not run. */
  readonly isFrozen: () => boolean
  readonly hasEnded: () => boolean
  readonly freeze: () => void
  /** Blocks its event loop. */
  readonly hang: () => void
  /** Ends a freeze or a hang. */
  readonly thaw: () => void
  /** Ends it at once: it does nothing any more. */
  readonly end: () => void
  /** Sets its wall clock wrong by this time. */
  readonly setClock: (byMs: number) => void
}

const nanosPerMilli = 1_000_000n

export const makeProcess = (world: World, node: number, incarnation: number): SimulatedProcess => {
  const name = `node-${node}.${incarnation}`
  const running = Latch.makeUnsafe(true)
  const workerRunning = Latch.makeUnsafe(true)
  let ended = false
  let errorMs = 0
  const wallMs = () => world.clock.currentTimeMillisUnsafe() + errorMs
  const wallNs = () => world.clock.currentTimeNanosUnsafe() + BigInt(errorMs) * nanosPerMilli
  const threadOf = (latch: Latch.Latch): SimulatedThread => ({
    node,
    name,
    clock: {
      ...world.clock,
      currentTimeMillisUnsafe: wallMs,
      currentTimeMillis: Effect.sync(wallMs),
      currentTimeNanosUnsafe: wallNs,
      currentTimeNanos: Effect.sync(wallNs),
      sleep: (duration) => Effect.andThen(world.clock.sleep(duration), latch.await),
    },
    gate: latch.await,
  })
  const freeze = () => {
    running.closeUnsafe()
    workerRunning.closeUnsafe()
  }
  return {
    ...threadOf(running),
    worker: threadOf(workerRunning),
    isFrozen: () => !running.isOpen(),
    hasEnded: () => ended,
    freeze,
    hang: () => void running.closeUnsafe(),
    thaw: () => {
      if (ended) return
      running.openUnsafe()
      workerRunning.openUnsafe()
    },
    end: () => {
      ended = true
      freeze()
    },
    setClock: (byMs) => void (errorMs = byMs),
  }
}
