/**
 * The ways from a node's edges to its entities, without the cluster between: a message to an actor costs more than all that a write does
 * beside it, and keeps what waits for its answer in memory until the next full collection (`gateways/middleware/request-fibers.ts` says why).
 *
 * Invariants: a door leads to the entity that the cluster has placed on this node, under its supervision, or nowhere. It stands open for
 * `openMs` after a message, so that the cluster, which ends entities that are sent none, knows which ones are in use.
 */
import { Clock, Effect, Layer, type Scope } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { HomeEntityDoors, type WriteEntity } from "../../protocols/messages/home-entity.ts"

/** Far below the time after which an entity that is sent nothing is ended. */
const openMs = 60_000
/** Writes of one entity that wait, as many as its mailbox would take. */
const waitingMax = 1_024

export const layerHomeEntityDoors: Layer.Layer<HomeEntityDoors> = Layer.sync(HomeEntityDoors, () => {
  const doors = new Map<string, WriteEntity>()
  return {
    to: (entityId) => doors.get(entityId) ?? null,
    open: (entityId, write) => void doors.set(entityId, write),
    shut: (entityId, write) => void (doors.get(entityId) === write && doors.delete(entityId)),
  }
})

/** The handler of an entity's messages that opens its door each time, for the scope in context. */
export const withDoor = Effect.fnUntraced(function* (
  entityId: string,
  write: WriteEntity,
): Effect.fn.Return<WriteEntity, never, HomeEntityDoors | Scope.Scope> {
  const doors = yield* HomeEntityDoors
  const clock = yield* Clock.Clock
  let openUntilMs = 0
  let waiting = 0
  const door: WriteEntity = (order) =>
    Effect.suspend(() => {
      if (clock.currentTimeMillisUnsafe() > openUntilMs) doors.shut(entityId, door)
      if (waiting >= waitingMax) {
        return Effect.fail(new StoreUnavailable({ message: `${waitingMax} writes of ${entityId} wait. Try again.` }))
      }
      waiting += 1
      return Effect.ensuring(write(order), Effect.sync(() => void (waiting -= 1)))
    })
  yield* Effect.addFinalizer(() => Effect.sync(() => doors.shut(entityId, door)))
  return (order) =>
    Effect.suspend(() => {
      openUntilMs = clock.currentTimeMillisUnsafe() + openMs
      doors.open(entityId, door)
      return write(order)
    })
})
