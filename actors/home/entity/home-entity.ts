/**
 * The HomeEntity actor: performs the writes of one entity, one after the other.
 *
 * Boundary: `machine.ts` defines how one state follows another, `stored-entity.ts` has the bus commit it.
 */
import { Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { InvalidEntityId, InvalidEntityState } from "../../../protocols/domain/home-failure.ts"
import { isEntityId, stateLengthMax } from "../../../protocols/domain/home.ts"
import { HomeBus, homeBusId } from "../../../protocols/messages/home-bus.ts"
import {
  HomeEntity,
  LocalHomeEntities,
  type WriteEntity,
  type WriteOrder,
} from "../../../protocols/messages/home-entity.ts"
import { makeLocalCalls, withLocalCalls } from "../../runtime/local-calls.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import { LocalHomeBus } from "../bus/local-bus.ts"
import { StoredEntity } from "./stored-entity.ts"

const build = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const clock = yield* Clock.Clock
  const bus = (yield* HomeBus.client)(homeBusId)
  const entity = new StoredEntity(entityId, bus, yield* LocalHomeBus, yield* Effect.scope)
  const nowUs = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
  return HomeEntity.of({
    Write: Effect.fnUntraced(function* ({ payload }: { readonly payload: WriteOrder }) {
      if (!isEntityId(entityId)) return yield* InvalidEntityId.now
      if ([...payload.state].length > stateLengthMax) return yield* InvalidEntityState.now
      const { before, sequence, state } = yield* entity.move({ type: "WRITE", ...payload, nowUs: nowUs() })
      return { state: state!, created: before === null, sequence }
    }),
    Remove: Effect.fnUntraced(function* ({ payload: { context } }) {
      const { before, sequence } = yield* entity.move({ type: "REMOVE", context, nowUs: nowUs() })
      return { removed: before !== null, sequence }
    }),
  })
})

/** An entity of this node: its supervised handlers, also registered for local calls. */
const placed = Effect.gen(function* () {
  const { entityId } = yield* Entity.CurrentAddress
  const handlers = yield* supervise(HomeEntity, build)
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* LocalHomeEntities,
    entityId,
    (payload: WriteOrder) => handlers.Write({ payload }),
  )
  return HomeEntity.of({
    ...handlers,
    Write: ({ payload }) => byMessage(payload),
    Remove: (message) => inTurn(handlers.Remove(message)),
  })
})

/** The registry of local calls to the entities of this node. */
export const layerLocalHomeEntities: Layer.Layer<LocalHomeEntities> = Layer.sync(
  LocalHomeEntities,
  () => makeLocalCalls<WriteEntity>(),
)

/** The HomeEntity actors of this node. */
export const layerHomeEntity = HomeEntity.toLayer(placed, entityOptions)
