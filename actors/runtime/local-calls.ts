/**
 * The ways from a node's edges to its actors, without the cluster between: a message to an actor costs more than all that it asks for
 * where that is little, and keeps what waits for its answer in memory until the next full collection
 * (`gateways/http/request-fibers.ts` says why).
 *
 * Invariants:
 * 1. A door leads to the actor that the cluster has placed on this node, under its supervision, or nowhere.
 * 2. It stands open for `openMs` after a message, so that the cluster, which ends actors that are sent none, knows which are in use.
 * 3. What comes through a door and what comes by message is handled one after the other; nothing is begun by an actor that has left.
 */
import { Clock, Effect, type Scope, Semaphore } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { Door, Doors } from "../../protocols/messages/local-calls.ts"

/** Far below the time after which an actor that is sent nothing is ended. */
const openMs = 60_000
/** Calls at one door that wait, as many as the actor's mailbox would take. */
const waitingMax = 1_024

/** Doors of one kind of actor, all shut. */
export const makeDoors = <D extends Door<never, unknown, unknown>>(): Doors<D> => {
  const doors = new Map<string, D>()
  return {
    to: (actorId) => doors.get(actorId) ?? null,
    open: (actorId, door) => void doors.set(actorId, door),
    shut: (actorId, door) => void (doors.get(actorId) === door && doors.delete(actorId)),
  }
}

/** An actor that has a door. */
interface Doorway<Given, A, E> {
  /** The handler of messages, which opens the door each time. */
  readonly byMessage: (given: Given) => Effect.Effect<A, E>
  /** Runs other messages of the actor beside what comes through its door. */
  readonly inTurn: <B, F, R>(effect: Effect.Effect<B, F, R>) => Effect.Effect<B, F, R>
}

/** Gives an actor a door for the scope in context. */
export const withDoor = Effect.fnUntraced(function* <Given, A, E>(
  doors: Doors<Door<Given, A, E>>,
  actorId: string,
  handle: (given: Given) => Effect.Effect<A, E>,
): Effect.fn.Return<Doorway<Given, A, E>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
  const refused = (message: string) => Effect.fail(new StoreUnavailable({ message }))
  let openUntilMs = 0
  let waiting = 0
  let left = false
  const door: Door<Given, A, E> = (given) =>
    Effect.suspend(() => {
      if (clock.currentTimeMillisUnsafe() > openUntilMs) doors.shut(actorId, door)
      if (waiting >= waitingMax) return refused(`${waitingMax} messages to ${actorId} wait. Try again.`)
      waiting += 1
      const handled = Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
        left ? refused(`${actorId} moves to another node. Try again.`) : handle(given)
      )
      return Effect.ensuring(inTurn(handled), Effect.sync(() => void (waiting -= 1)))
    })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      left = true
      doors.shut(actorId, door)
    })
  )
  const byMessage = (given: Given) =>
    Effect.suspend(() => {
      openUntilMs = clock.currentTimeMillisUnsafe() + openMs
      doors.open(actorId, door)
      return inTurn(handle(given))
    })
  return { byMessage, inTurn }
})
