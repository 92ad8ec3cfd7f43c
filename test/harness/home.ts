/**
 * The home-automation runtime in one process, without a store: the real machine of entities, the real replica, and a bus that publishes at once.
 */
import { Clock, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { transition } from "xstate"
import { entityMachine, type EntitySnapshot, restoredEntity } from "../../actors/home/entity/machine.ts"
import { StateReplica } from "../../actors/home/view/replica.ts"
import { makeNewContext } from "../../actors/home/view/home-context.ts"
import type { BusEntry, HomeContext, HomeEvent } from "../../protocols/domain/home.ts"
import { isEntityId, stateLengthMax } from "../../protocols/domain/home.ts"
import { entryId, type RegistryEntry, type RegistryName } from "../../protocols/domain/home-registry.ts"
import { InvalidEntityId, InvalidEntityState } from "../../protocols/domain/home-failure.ts"
import { HomeRegistries, type Registered } from "../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../protocols/ports/home-runtime.ts"

const layerRuntime = Layer.effect(
  HomeRuntime,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const nowUs = () => 1000 * clock.currentTimeMillisUnsafe()
    const newContext = yield* makeNewContext
    const replica = new StateReplica(() => newContext(null, null), nowUs)
    replica.apply({ kind: "states", sequence: 0, states: [], last: true })
    const snapshots = new Map<string, EntitySnapshot>()
    let sequence = 0
    const publish = (entry: BusEntry) => replica.apply({ kind: "entries", sequence: ++sequence, entries: [entry] })
    const move = (entityId: string, event: Parameters<typeof transition<typeof entityMachine>>[2]) => {
      const before = snapshots.get(entityId) ?? restoredEntity(entityId, null)
      const [after] = transition(entityMachine, before, event)
      snapshots.set(entityId, after)
      if (after.context.entry !== null) publish(after.context.entry)
      return { before: before.context.state, after: after.context.state }
    }
    return HomeRuntime.of({
      replica: Effect.succeed(replica),
      write: (given, { attributes, context, forceUpdate, state }) =>
        Effect.gen(function* () {
          const entityId = given.toLowerCase()
          if (!isEntityId(entityId)) return yield* InvalidEntityId.now
          if (state.length > stateLengthMax) return yield* InvalidEntityState.now
          const order = { type: "WRITE" as const, state, attributes, forceUpdate, context, nowUs: nowUs() }
          const { after, before } = move(entityId, order)
          return { state: after!, created: before === null, sequence }
        }),
      remove: (entityId, context) =>
        Effect.sync(() => move(entityId.toLowerCase(), { type: "REMOVE", context, nowUs: nowUs() }).before !== null),
      fire: (event: Omit<HomeEvent, "timeFiredUs">) =>
        Effect.sync(() => publish({ kind: "fired", event: { ...event, timeFiredUs: nowUs() } })),
      settled: Effect.void,
      context: (userId, parentId = null) => Effect.sync(() => newContext(userId, parentId)),
    })
  }),
)

const layerRegistries = Layer.effect(
  HomeRegistries,
  Effect.gen(function* () {
    const runtime = yield* HomeRuntime
    const registries = new Map<string, Map<string, Registered<RegistryName>>>()
    const of = (name: string) => {
      const registry = registries.get(name) ?? new Map<string, Registered<RegistryName>>()
      registries.set(name, registry)
      return registry
    }
    const publish = (name: RegistryName, id: string, action: "create" | "update" | "remove", context: HomeContext) => {
      const data = { action, [`${name}_id`]: id }
      return runtime.fire({ eventType: `${name}_registry_updated`, data, origin: "LOCAL", context })
    }
    return HomeRegistries.of({
      list: <Name extends RegistryName>(name: Name) =>
        Effect.sync(() => [...of(name).values()] as unknown as ReadonlyArray<Registered<Name>>),
      put: Effect.fnUntraced(function* <Name extends RegistryName>(
        name: Name,
        entries: ReadonlyArray<RegistryEntry<Name>>,
        context: HomeContext,
      ) {
        for (const entry of entries) {
          const id = entryId(name, entry)
          const action = of(name).has(id) ? "update" : "create"
          of(name).set(id, { entry, createdAtUs: 0, modifiedAtUs: 0 })
          yield* publish(name, id, action, context)
        }
      }),
      remove: Effect.fnUntraced(function* (name, ids, context) {
        for (const id of ids) if (of(name).delete(id)) yield* publish(name, id, "remove", context)
      }),
    })
  }),
)

/** The home's ports in one process. */
export const layerHome: Layer.Layer<HomeRuntime | HomeRegistries | SecureRandom.SecureRandom> = Layer.provideMerge(
  layerRegistries,
  Layer.provideMerge(layerRuntime, NodeCrypto.layerSecureRandom),
)
