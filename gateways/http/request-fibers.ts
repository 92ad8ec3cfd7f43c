/**
 * Fibers that answer requests, so that a listener that closes can end them.
 *
 * Why not a scope, a `Set` or a `Map`: V8 leaves a pointer from each table that such a collection has outgrown to the next one. When one of these
 * tables is old, every later one, and whatever passes through it, is kept until the next full collection, be it long done: at 1,000
 * requests/s that is megabytes a second. Slots of an array that are used again leave nothing behind.
 */
import { Effect, Fiber } from "effect"

interface RequestFibers {
  /** Knows a fiber until it ends. */
  readonly add: (fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Ends all that are known, and waits for them. */
  readonly endAll: Effect.Effect<void>
}

export const makeRequestFibers = (): RequestFibers => {
  const slots: Array<Fiber.Fiber<unknown, unknown> | null> = []
  const free: Array<number> = []
  return {
    add: (fiber) => {
      const slot = free.pop() ?? slots.length
      slots[slot] = fiber
      fiber.addObserver(() => {
        slots[slot] = null
        free.push(slot)
      })
    },
    endAll: Effect.suspend(() => Fiber.interruptAll(slots.filter((fiber) => fiber !== null))),
  }
}
