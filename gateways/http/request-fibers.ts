/**
 * The fibers that answer requests, so that a server that closes can interrupt them.
 *
 * Why not a scope, a `Set` or a `Map`: V8 leaves a pointer from each table that such a collection has outgrown to the next one. If one of these
 * tables is in the old generation, every later one and all its entries are kept until the next full collection, though they are unused: at
 * 1,000 requests/s that is megabytes a second. Reused slots of an array keep nothing alive.
 */
import { Effect, Fiber } from "effect"

interface RequestFibers {
  /** Holds a fiber until it ends. */
  readonly add: (fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Interrupts all fibers, and waits for them. */
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
