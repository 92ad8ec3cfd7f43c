/**
 * Reads and writes of states by services: a read of the newest state, then a write under the call's context; one such change at a time.
 *
 * Invariant: a read includes every write that any node has acknowledged, and no other service writes between a read and its
 * write; so two increments at a time count twice.
 */
import { Effect, Semaphore } from "effect"
import { InvalidServiceData, type ServiceFailure } from "../../../protocols/domain/home-failure.ts"
import { domainOf, type EntityState, type HomeContext, type JsonObject } from "../../../protocols/domain/home.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { failed } from "./service.ts"

export type StateFailure = ServiceFailure | HomeUnavailable

/** What an entity becomes; its attributes stay where they are left out. */
export interface NextState {
  readonly state: string
  readonly attributes?: JsonObject
}

export interface States {
  /** Ids of all entities of these domains; null: of any. */
  readonly idsOf: (domains: ReadonlyArray<string> | null) => Effect.Effect<ReadonlyArray<string>, HomeUnavailable>
  readonly one: (entityId: string) => Effect.Effect<EntityState | null, HomeUnavailable>
  /** Sets the state of an entity, whether there was one or not. */
  readonly put: (
    entityId: string,
    next: (present: EntityState | null) => Effect.Effect<NextState, StateFailure>,
    context: HomeContext,
  ) => Effect.Effect<void, StateFailure>
  /** Removes an entity; false: there was none. */
  readonly remove: (entityId: string, context: HomeContext) => Effect.Effect<boolean, HomeUnavailable>
}

export const makeStates = Effect.gen(function* () {
  const runtime = yield* HomeRuntime
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const newest = Effect.andThen(runtime.settled, runtime.replica)

  const write = (
    entityId: string,
    { attributes, state }: NextState,
    present: EntityState | null,
    context: HomeContext,
  ) =>
    runtime.write(entityId, {
      state,
      attributes: attributes ?? present?.attributes ?? {},
      forceUpdate: false,
      context,
    }).pipe(Effect.catchTags({
      InvalidEntityId: ({ message }) => Effect.fail(failed(`${entityId}: ${message}`)),
      InvalidEntityState: ({ message }) => Effect.fail(failed(`${entityId}: ${message}`)),
    }))

  return {
    idsOf: (domains) =>
      Effect.map(
        newest,
        (replica) =>
          replica.all().map(({ entityId }) => entityId)
            .filter((entityId) => domains === null || domains.includes(domainOf(entityId))),
      ),
    one: (entityId) => Effect.map(newest, (replica) => replica.one(entityId)),
    put: (entityId, next, context) =>
      oneAtATime(Effect.gen(function* () {
        const present = (yield* newest).one(entityId)
        yield* write(entityId, yield* next(present), present, context)
      })),
    remove: (entityId, context) => runtime.remove(entityId, context),
  } satisfies States
})

/** A value that an entity does not take. */
export const invalidValue = (message: string): InvalidServiceData => new InvalidServiceData({ message })
