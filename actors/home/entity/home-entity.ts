/**
 * The HomeEntity actor: one entity, its writes one after the other.
 *
 * Boundary: how a state follows another is `machine.ts`; the bus keeps and tells what it leads to.
 *
 * Invariant: a move is made when the bus has kept it. When that is not known, or another activation of the entity has written, the entity
 * is taken from the bus anew before its next message.
 */
import { Clock, Data, Effect, Layer, Scope } from "effect"
import { Entity } from "effect/cluster"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { InvalidEntityId, InvalidEntityState } from "../../../protocols/domain/home-failure.ts"
import { isEntityId, stateLengthMax } from "../../../protocols/domain/home.ts"
import { HomeBus, homeBusId } from "../../../protocols/messages/home-bus.ts"
import {
  HomeEntity,
  HomeEntityDoors,
  type WriteEntity,
  type WriteOrder,
} from "../../../protocols/messages/home-entity.ts"
import { makeLocalCalls, withLocalCalls } from "../../runtime/local-calls.ts"
import { runMachine, type RunningMachine } from "../../runtime/machine.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import { HomeBusDoor } from "../bus/local-bus.ts"
import { entityMachine, type EntitySnapshot, type RemoveEvent, restoredEntity, type WriteEvent } from "./machine.ts"

/** What the bus has for an answer: a little more than the store has for a commit. */
const busTimeoutMs = 3_500

/** Another activation of the entity has written. */
class Superseded extends Data.TaggedError("Superseded")<{ readonly message: string }> {}

type Running = RunningMachine<typeof entityMachine, Superseded | StoreUnavailable>

/** An entity as the bus has it. */
interface Opened {
  readonly machine: Running
  /** Sequence of its last change. */
  sequence: number
}

const build = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const bus = (yield* HomeBus.client)(homeBusId)
  const door = yield* HomeBusDoor
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let opened: Opened | null = null

  /** A call of the bus, with a bound; a bus that breaks is a store that fails: it must not break its entities. */
  const asked = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, StoreUnavailable> =>
    call.pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logDebug("the home bus did not answer", cause),
          Effect.fail(new StoreUnavailable({ message: "The change could not be kept. Try again shortly." })),
        )
      ),
      Effect.timeoutOrElse({
        duration: busTimeoutMs,
        orElse: () => Effect.fail(new StoreUnavailable({ message: `Nothing was kept within ${busTimeoutMs} ms.` })),
      }),
    )

  const keep = (self: () => Opened) => (next: EntitySnapshot): Effect.Effect<void, Superseded | StoreUnavailable> => {
    const { entry } = next.context
    if (entry === null) return Effect.void
    const offered = { entry, after: self().sequence }
    return Effect.flatMap(door.publish()?.(offered) ?? asked(bus.Publish(offered)), ({ sequence }) => {
      if (sequence === null) return Effect.fail(new Superseded({ message: `${entityId} was written elsewhere` }))
      self().sequence = sequence
      return Effect.void
    })
  }

  const open = Effect.gen(function* () {
    const { sequence, state } = yield* asked(bus.Last({ entityId }))
    const self: Opened = {
      machine: yield* runMachine(entityMachine, {
        restored: restoredEntity(entityId, state),
        keep: keep(() => self),
      }).pipe(Effect.provideService(Scope.Scope, scope)),
      sequence,
    }
    return opened = self
  })

  const known = Effect.suspend(() => opened === null ? open : Effect.succeed(opened))

  /** Makes the move that an event asks for; answers how the entity was, where it is and where on the bus. */
  const moveOnce = Effect.fnUntraced(function* (event: WriteEvent | RemoveEvent) {
    const self = yield* known
    const before = self.machine.snapshot().context.state
    const { context } = yield* self.machine.send(event)
    const told = context.entry === null ? 0 : self.sequence
    // Absent entities have no last change: the next one follows nothing.
    if (context.state === null) self.sequence = 0
    return { before, state: context.state, told }
  }, Effect.tapError(() => Effect.sync(() => void (opened = null))))

  const move = (event: WriteEvent | RemoveEvent) =>
    moveOnce(event).pipe(
      Effect.retry({ times: 1, while: (error) => error._tag === "Superseded" }),
      Effect.catchTag("Superseded", ({ message }) => Effect.fail(new StoreUnavailable({ message }))),
    )

  const nowUs = () => Number(clock.currentTimeNanosUnsafe() / 1000n)

  return HomeEntity.of({
    Write: Effect.fnUntraced(function* ({ payload }: { readonly payload: WriteOrder }) {
      if (!isEntityId(entityId)) return yield* InvalidEntityId.now
      if ([...payload.state].length > stateLengthMax) return yield* InvalidEntityState.now
      const { before, state, told } = yield* move({ type: "WRITE", ...payload, nowUs: nowUs() })
      return { state: state!, created: before === null, sequence: told }
    }),
    Remove: Effect.fnUntraced(function* ({ payload: { context } }) {
      const { before, told } = yield* move({ type: "REMOVE", context, nowUs: nowUs() })
      return { removed: before !== null, sequence: told }
    }),
    Get: () => Effect.map(known, ({ machine }) => machine.snapshot().context.state),
  })
})

/** An entity that is placed here: its supervised handlers, and a door for the edges of its node. */
const placed = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(HomeEntity, build)
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* HomeEntityDoors,
    entityId,
    (payload: WriteOrder) => handlers.Write({ payload }),
  )
  return HomeEntity.of({
    ...handlers,
    Write: ({ payload }) => byMessage(payload),
    Remove: (message) => inTurn(handlers.Remove(message)),
  })
})

/** The ways to the entities of this node. */
export const layerHomeEntityDoors: Layer.Layer<HomeEntityDoors> = Layer.sync(
  HomeEntityDoors,
  () => makeLocalCalls<WriteEntity>(),
)

/** The HomeEntity actors of this node. */
export const layerHomeEntity = HomeEntity.toLayer(placed, entityOptions)
