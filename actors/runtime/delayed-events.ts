/**
 * The delayed events of a machine: each waits on Effect's clock until it is due, is delayed anew, or is cancelled.
 *
 * Machines measure silence by an event that each message delays anew, ten times a second for each actor. That moves the time of the
 * fiber which sleeps for the event already, because a new fiber and timer cost more than the transition.
 *
 * Invariants: at most one fiber sleeps per event, and ends with the scope. A cancelled event is not handled, even when it was due before.
 * Times are monotonic: a clock that is set does not move them.
 */
import { Clock, Effect, Fiber, type Scope } from "effect"
import { monotonicMsOf } from "./monotonic.ts"

interface Waiting<Event> {
  event: Event
  /** Null once it is handled, cancelled or replaced. */
  dueMs: number | null
  /** When its fiber looks at `dueMs` again. */
  wakesMs: number
  fiber: Fiber.Fiber<unknown> | null
}

interface DelayedEvents<Event> {
  /** Hands the event over after this time, in place of an earlier event of this id. */
  readonly delay: (id: string, event: Event, delayMs: number) => Effect.Effect<void>
  readonly cancel: (id: string) => Effect.Effect<void>
}

/**
 * Makes the delayed events of one machine.
 *
 * @param inTurn runs an effect when no transition is being made; `delay` and `cancel` are called within transitions
 * @param handle makes the transition of a due event
 */
export const makeDelayedEvents = Effect.fnUntraced(function* <Event>(
  inTurn: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>,
  handle: (event: Event) => Effect.Effect<unknown>,
): Effect.fn.Return<DelayedEvents<Event>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const nowMs = () => monotonicMsOf(clock)
  const waiting = new Map<string, Waiting<Event>>()

  const handleIfDue = (id: string, own: Waiting<Event>): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (own.dueMs !== null && own.dueMs > nowMs()) return Effect.void
      if (waiting.get(id) === own) waiting.delete(id)
      if (own.dueMs === null) return Effect.void
      own.dueMs = null
      return handle(own.event)
    })
  const sleepUntilDue = (id: string, own: Waiting<Event>): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (own.dueMs === null) return Effect.void
      own.wakesMs = own.dueMs
      return Effect.sleep(own.dueMs - nowMs()).pipe(
        Effect.andThen(inTurn(handleIfDue(id, own))),
        Effect.andThen(sleepUntilDue(id, own)),
      )
    })
  const begin = Effect.fnUntraced(function* (id: string, own: Waiting<Event>) {
    const before = waiting.get(id)
    waiting.set(id, own)
    if (before !== undefined) {
      before.dueMs = null
      if (before.fiber !== null) yield* Effect.forkIn(Fiber.interrupt(before.fiber), scope)
    }
    own.fiber = yield* Effect.forkIn(sleepUntilDue(id, own), scope)
  })
  return {
    delay: (id, event, delayMs) =>
      Effect.suspend(() => {
        const dueMs = nowMs() + delayMs
        const known = waiting.get(id)
        if (known === undefined || known.wakesMs > dueMs) {
          return begin(id, { event, dueMs, wakesMs: dueMs, fiber: null })
        }
        known.event = event
        known.dueMs = dueMs
        return Effect.void
      }),
    cancel: (id) =>
      Effect.sync(() => {
        const known = waiting.get(id)
        if (known !== undefined) known.dueMs = null
      }),
  }
})
