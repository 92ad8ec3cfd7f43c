/**
 * The capabilities of a plugin: all that it can do in the home, limited to what its manifest permits.
 *
 * Owns the plugin's entities, services and listeners, so that all are removed with it. Boundary: the runtime enforces the permissions on the
 * machine (`plugin-process.ts`).
 *
 * Invariants:
 * 1. An action that is not permitted has no effect, and fails with a `RuntimeError` that names the line of the manifest.
 * 2. An entity has one plugin: another one can neither write nor remove it.
 * 3. A write under the context of a call is accepted only while this plugin handles that call.
 */
import { Effect } from "effect"
import {
  type BusEntry,
  type EntityState,
  type HomeContext,
  type JsonObject,
  stateChanged,
  stateReported,
} from "../../../protocols/domain/home.ts"
import { eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { GrantedPermissions } from "../../../protocols/domain/plugin.ts"
import type { ServiceRegistry } from "../services/registry.ts"
import type { Service } from "../services/service.ts"
import { permitsCall } from "./home-permissions.ts"
import type { OwnDevice } from "./own-devices.ts"
import {
  type CapabilityFailure,
  demand,
  type NewState,
  OwnedEntities,
  type Owners,
  type PluginIdentity,
} from "./owned-entities.ts"
import type { AreaOrder, DeviceOrder, EntityOrder } from "./registry-entries.ts"

/** Maximum numbers of one plugin at a time. */
const limits = { services: 100, listeners: 32 } as const

export interface Capabilities {
  readonly domain: string
  readonly get: (entityId: string) => Effect.Effect<EntityState | null, CapabilityFailure>
  /** All entities that the plugin may read. */
  readonly all: Effect.Effect<ReadonlyArray<EntityState>, CapabilityFailure>
  readonly set: (entityId: string, next: NewState, context?: HomeContext) => Effect.Effect<void, CapabilityFailure>
  /** False: there was none. */
  readonly remove: (entityId: string, context?: HomeContext) => Effect.Effect<boolean, CapabilityFailure>
  readonly registerEntity: (order: EntityOrder) => Effect.Effect<void, CapabilityFailure>
  readonly registerDevice: (order: DeviceOrder) => Effect.Effect<void, CapabilityFailure>
  /** Has no effect if the area exists. */
  readonly registerArea: (order: AreaOrder) => Effect.Effect<void, CapabilityFailure>
  /** The plugin's devices, of this run or an earlier one, each with the ids of its entities. */
  readonly devices: Effect.Effect<ReadonlyArray<OwnDevice>, CapabilityFailure>
  /** Removes one of the plugin's devices, and the entities of that device. */
  readonly removeDevice: (deviceId: string) => Effect.Effect<void, CapabilityFailure>
  /** Removes the state of one of the plugin's entities; the entity stays registered. */
  readonly withdraw: (entityId: string) => Effect.Effect<void, CapabilityFailure>
  readonly registerService: (service: Service) => Effect.Effect<void, CapabilityFailure>
  readonly unregisterService: (name: string) => Effect.Effect<void, CapabilityFailure>
  readonly call: (
    domain: string,
    service: string,
    data: JsonObject,
    returnResponse: boolean,
  ) => Effect.Effect<JsonObject | null, CapabilityFailure>
  readonly hasService: (domain: string, service: string) => boolean
  readonly fire: (eventType: string, data: JsonObject) => Effect.Effect<void, CapabilityFailure>
  /** Subscribes to events of a type. The listener must not throw, and not wait. Returns a function that unsubscribes. */
  readonly listen: (
    eventType: string,
    listener: (entry: BusEntry) => void,
  ) => Effect.Effect<() => void, CapabilityFailure>
  /**
   * Removes the plugin's services and listeners, and clears its entities: registered ones become unavailable, so do the others if `keep`,
   * else they are removed.
   */
  readonly clear: (keep: boolean) => Effect.Effect<void, HomeUnavailable>
  readonly entityIds: () => ReadonlyArray<string>
}

/** The services of one plugin. */
const makeServices = (
  { domain, permissions }: PluginIdentity,
  registry: ServiceRegistry,
  runtime: HomeRuntime["Service"],
) => {
  const services = new Map<string, Service>()
  const unregister = Effect.fnUntraced(function* (name: string) {
    const service = services.get(name)
    services.delete(name)
    if (service !== undefined) yield* registry.unregister(service)
  })
  return {
    register: Effect.fnUntraced(function* (service: Service) {
      const isOwn = service.domain === domain
      yield* demand(domain, isOwn, `its services are of its own domain, not of ${service.domain}.`)
      const hasRoom = services.has(service.name) || services.size < limits.services
      yield* demand(domain, hasRoom, `it has ${limits.services} services already.`)
      services.set(service.name, service)
      yield* registry.register(service)
    }),
    unregister,
    unregisterAll: Effect.suspend(() =>
      Effect.forEach([...services.keys()], (name) => Effect.ignore(unregister(name)), { discard: true })
    ),
    call: Effect.fnUntraced(function* (of: string, service: string, data: JsonObject, returnResponse: boolean) {
      const isPermitted = of === domain || permitsCall(permissions.services, of, service)
      yield* demand(domain, isPermitted, `it may not call ${of}.${service}: permissions.services does not name it.`)
      return yield* registry.call({ domain: of, service, data, returnResponse, context: yield* runtime.context(null) })
    }),
  }
}

/** The events that one plugin fires and subscribes to. */
const makeEvents = (
  { domain, permissions }: PluginIdentity,
  entities: OwnedEntities,
  runtime: HomeRuntime["Service"],
) => {
  const subscriptions = new Set<() => void>()
  return {
    fire: Effect.fnUntraced(function* (eventType: string, data: JsonObject) {
      const isPermitted = permissions.events.fire.includes(eventType)
      yield* demand(domain, isPermitted, `it may not fire ${eventType}: permissions.events.fire does not name it.`)
      yield* runtime.fire({ eventType, data, origin: "LOCAL", context: yield* runtime.context(null) })
    }),
    listen: Effect.fnUntraced(function* (eventType: string, listener: (entry: BusEntry) => void) {
      const isPermitted = eventType === stateChanged || eventType === stateReported ||
        permissions.events.subscribe.includes(eventType)
      yield* demand(
        domain,
        isPermitted,
        `it may not subscribe to ${eventType}: permissions.events.subscribe does not name it.`,
      )
      const hasRoom = subscriptions.size < limits.listeners
      yield* demand(domain, hasRoom, `it has ${limits.listeners} listeners already.`)
      const unsubscribe = (yield* runtime.replica).listen((entries) => {
        for (const entry of entries) {
          const isVisible = entry.kind === "fired" || entities.mayRead(entry.entityId)
          if (eventTypeOf(entry) === eventType && isVisible) listener(entry)
        }
      })
      subscriptions.add(unsubscribe)
      return () => {
        subscriptions.delete(unsubscribe)
        unsubscribe()
      }
    }),
    unsubscribeAll: Effect.sync(() => {
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions.clear()
    }),
  }
}

/** The capabilities of a plugin. `owners` is shared by all plugins, `serving` has the contexts of the calls that the plugin handles. */
export const makeCapabilities = Effect.fnUntraced(function* (
  domain: string,
  permissions: GrantedPermissions,
  registry: ServiceRegistry,
  owners: Owners,
  serving: ReadonlyMap<string, HomeContext>,
) {
  const runtime = yield* HomeRuntime
  const registries = yield* HomeRegistries
  const identity: PluginIdentity = { domain, permissions, serving }
  const own = (yield* registries.list("entity")).filter(({ entry }) => entry.platform === domain)
  const registered = new Set(own.map(({ entry }) => entry.entityId))
  const entities = new OwnedEntities({ identity, owners, runtime, registries, registered })
  const services = makeServices(identity, registry, runtime)
  const events = makeEvents(identity, entities, runtime)
  return {
    domain,
    entityIds: () => entities.ids(),
    get: (entityId) => entities.get(entityId),
    all: Effect.suspend(() => entities.all()),
    set: (entityId, next, context) => entities.set(entityId, next, context),
    remove: (entityId, context) => entities.remove(entityId, context),
    withdraw: (entityId) => entities.withdraw(entityId),
    registerEntity: (order) => entities.register(order),
    devices: Effect.suspend(() => entities.devices()),
    registerDevice: (order) => entities.registerDevice(order),
    registerArea: (order) => entities.registerArea(order),
    removeDevice: (deviceId) => entities.removeDevice(deviceId),
    registerService: services.register,
    unregisterService: services.unregister,
    call: services.call,
    hasService: registry.has,
    fire: events.fire,
    listen: events.listen,
    clear: (keep) =>
      events.unsubscribeAll.pipe(Effect.andThen(services.unregisterAll), Effect.andThen(entities.clear(keep))),
  } satisfies Capabilities
})
