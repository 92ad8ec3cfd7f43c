/**
 * Local calls: the registry of the actors of one kind that run on this node, and what an actor does to be in it.
 *
 * A message costs more than the work that it asks for where that work is small: it encodes its objects, and its memory is held until the
 * next full collection (`gateways/http/request-fibers.ts` explains why).
 *
 * Invariants:
 * 1. An entry leads to the actor that the cluster has placed on this node, under its supervision.
 * 2. An entry is valid for `validMs` after a message. The next call is a message again, so the cluster, which ends idle actors, knows
 *    which actors are in use.
 * 3. Calls and messages are handled one after the other, in the order of their arrival. An actor that has left handles none.
 * 4. At most `waitingMax` calls wait, as many as the mailbox of the actor takes.
 */
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { LocalCall, LocalCalls } from "../../protocols/messages/local-calls.ts"

/** Far below the time after which the cluster ends an actor without messages. */
const validMs = 60_000
const waitingMax = 1_024

/** An empty registry. */
export const makeLocalCalls = <Call extends LocalCall<never, unknown, unknown>>(): LocalCalls<Call> => {
  const calls = new Map<string, Call>()
  const left = new Map<string, Deferred.Deferred<void>>()
  return {
    to: (actorId) => calls.get(actorId) ?? null,
    add: (actorId, call) => void calls.set(actorId, call),
    remove: (actorId, call) => {
      if (calls.get(actorId) !== call) return
      calls.delete(actorId)
      const waiting = left.get(actorId)
      left.delete(actorId)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
    },
    gone: (actorId) =>
      Effect.suspend(() => {
        if (!calls.has(actorId)) return Effect.void
        const waiting = left.get(actorId) ?? Deferred.makeUnsafe<void>()
        left.set(actorId, waiting)
        return Deferred.await(waiting)
      }),
  }
}

/** How an actor with local calls handles its messages. */
interface LocallyCalled<Payload, A, E> {
  /** Handles the message that has the same effect as a local call; it adds the actor to the registry. */
  readonly byMessage: (payload: Payload) => Effect.Effect<A, E>
  /** Runs the handler of another message, one after the other with local calls. */
  readonly inTurn: <B, F, R>(effect: Effect.Effect<B, F, R>) => Effect.Effect<B, F, R>
}

/**
 * Lets an actor be called on its node while the scope in context is open.
 *
 * @param inTurn runs an effect alone; given by an actor that runs parts of its handlers in turn with its calls
 */
export const withLocalCalls = Effect.fnUntraced(function* <Payload, A, E>(
  registry: LocalCalls<LocalCall<Payload, A, E>>,
  actorId: string,
  handle: (payload: Payload) => Effect.Effect<A, E>,
  inTurn: LocallyCalled<Payload, A, E>["inTurn"] = Semaphore.makeUnsafe(1).withPermits(1),
): Effect.fn.Return<LocallyCalled<Payload, A, E>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const unavailable = (message: string) => Effect.fail(new StoreUnavailable({ message }))
  let validUntilMs = 0
  let waiting = 0
  let hasLeft = false
  const call: LocalCall<Payload, A, E> = (payload) =>
    Effect.suspend(() => {
      if (clock.currentTimeMillisUnsafe() > validUntilMs) registry.remove(actorId, call)
      if (waiting >= waitingMax) return unavailable(`${waitingMax} messages to ${actorId} wait. Try again.`)
      waiting += 1
      const handled = Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
        hasLeft ? unavailable(`${actorId} moves to another node. Try again.`) : handle(payload)
      )
      return Effect.ensuring(inTurn(handled), Effect.sync(() => void (waiting -= 1)))
    })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      hasLeft = true
      registry.remove(actorId, call)
    })
  )
  const byMessage = (payload: Payload) =>
    Effect.suspend(() => {
      validUntilMs = clock.currentTimeMillisUnsafe() + validMs
      registry.add(actorId, call)
      return inTurn(handle(payload))
    })
  return { byMessage, inTurn }
})
