/**
 * The desk: everything that a plugin does in the home goes over it, and nothing that its manifest does not name.
 *
 * Owns what the plugin has: its entities, services and listeners, so that nothing of it is left when it goes. Boundary: what it may do on the
 * machine is enforced by the runtime (`worker.ts`).
 *
 * Invariants:
 * 1. What is not permitted has no effect, and fails with a `RuntimeError` that names the line of the manifest.
 * 2. An entity has one plugin: another one cannot write it, nor remove it.
 * 3. A write under the context of a call is only taken while this plugin serves that call.
 */
import { Effect } from "effect"
import type { DeviceEntry, EntityEntry } from "../../../protocols/domain/home-registry.ts"
import {
  type BusEntry,
  domainOf,
  type EntityState,
  type HomeContext,
  isEntityId,
  type JsonObject,
  stateChanged,
  stateReported,
} from "../../../protocols/domain/home.ts"
import type { InvalidEntityId, InvalidEntityState, ServiceFailure } from "../../../protocols/domain/home-failure.ts"
import { type GrantedPermissions, RuntimeError } from "../../../protocols/domain/plugin.ts"
import { eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceRegistry } from "../services/registry.ts"
import type { Service } from "../services/service.ts"
import { type OwnDevice, ownDevicesOf } from "./own-devices.ts"
import { permits, permitsCall } from "./home-permissions.ts"

/** What one plugin may have at a time. */
const limits = { entities: 5_000, devices: 500, services: 100, listeners: 32 } as const
/** Longest attributes of an entity, in characters of JSON. */
const attributesLengthMax = 262_144

/** Whose an entity is, among all plugins of the host. */
export type Owners = Map<string, string>

export type DeskFailure = RuntimeError | HomeUnavailable | ServiceFailure | InvalidEntityId | InvalidEntityState

interface NewState {
  readonly state: string
  readonly attributes: JsonObject
  readonly forceUpdate?: boolean
}

/** An entity in the registry, as its plugin knows it. */
type EntityOrder = Pick<EntityEntry, "entityId" | "uniqueId"> & Partial<Omit<EntityEntry, "platform">>
export type DeviceOrder = Pick<DeviceEntry, "deviceId" | "identifiers"> & Partial<DeviceEntry>

export interface Desk {
  readonly domain: string
  readonly get: (entityId: string) => Effect.Effect<EntityState | null, DeskFailure>
  /** All that it may see. */
  readonly all: Effect.Effect<ReadonlyArray<EntityState>, DeskFailure>
  readonly set: (entityId: string, next: NewState, context?: HomeContext) => Effect.Effect<void, DeskFailure>
  readonly remove: (entityId: string, context?: HomeContext) => Effect.Effect<boolean, DeskFailure>
  readonly registerEntity: (order: EntityOrder) => Effect.Effect<void, DeskFailure>
  readonly registerDevice: (order: DeviceOrder) => Effect.Effect<void, DeskFailure>
  /** Its devices, of this life or an earlier one, each with the ids of its entities. */
  readonly devices: Effect.Effect<ReadonlyArray<OwnDevice>, DeskFailure>
  /** Removes a device of its own and the entities of that device. */
  readonly removeDevice: (deviceId: string) => Effect.Effect<void, DeskFailure>
  /** Takes away the state of an entity of its own; the entity stays registered. */
  readonly withdraw: (entityId: string) => Effect.Effect<void, DeskFailure>
  readonly registerService: (service: Service) => Effect.Effect<void, DeskFailure>
  readonly unregisterService: (name: string) => Effect.Effect<void, DeskFailure>
  readonly call: (
    domain: string,
    service: string,
    data: JsonObject,
    returnResponse: boolean,
  ) => Effect.Effect<JsonObject | null, DeskFailure>
  readonly hasService: (domain: string, service: string) => boolean
  readonly fire: (eventType: string, data: JsonObject) => Effect.Effect<void, DeskFailure>
  /** Hears events of a type; the listener must not throw, and not wait. The answer ends it. */
  readonly listen: (
    eventType: string,
    listener: (entry: BusEntry) => void,
  ) => Effect.Effect<() => void, DeskFailure>
  /** Takes away all that the plugin has. Entities that are registered become unavailable; others do when `keep`, and else are removed. */
  readonly clear: (keep: boolean) => Effect.Effect<void, HomeUnavailable>
  readonly entityIds: () => ReadonlyArray<string>
}

/** Of an entity of which its plugin says no more than its ids. */
export const entityDefaults: Omit<EntityEntry, "entityId" | "uniqueId" | "platform"> = {
  name: null,
  originalName: null,
  hasEntityName: true,
  icon: null,
  deviceId: null,
  areaId: null,
  labels: [],
  entityCategory: null,
  translationKey: null,
}
/** Of such a device. */
export const deviceDefaults: Omit<DeviceEntry, "deviceId" | "identifiers"> = {
  connections: [],
  name: null,
  nameByUser: null,
  manufacturer: null,
  model: null,
  swVersion: null,
  serialNumber: null,
  areaId: null,
  viaDeviceId: null,
  labels: [],
}

/** Attributes that an entity keeps while it is unavailable: what it is, without how it is. */
const lasting = ["friendly_name", "device_class", "icon", "supported_features", "unit_of_measurement", "state_class"]

const unavailableOf = ({ attributes }: EntityState): NewState => ({
  state: "unavailable",
  attributes: {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => lasting.includes(name))),
    restored: true,
  },
})

/** The desk of a plugin. */
export const makeDesk = Effect.fnUntraced(function* (
  domain: string,
  permissions: GrantedPermissions,
  registry: ServiceRegistry,
  owners: Owners,
  /** Contexts of the calls that the plugin serves now. */
  serving: ReadonlyMap<string, HomeContext>,
) {
  const runtime = yield* HomeRuntime
  const registries = yield* HomeRegistries
  const services = new Map<string, Service>()
  const listeners = new Set<() => void>()
  const entries = yield* registries.list("entity")
  /** Of this life or an earlier one. */
  const registered = new Set(
    entries.filter(({ entry }) => entry.platform === domain).map(({ entry }) => entry.entityId),
  )
  const devices = new Set<string>()

  const no = (message: string) => Effect.fail(new RuntimeError({ domain, message: `${domain}: ${message}` }))
  const demand = (holds: boolean, message: string) => holds ? Effect.void : no(message)
  const entityIds = () => [...owners].filter(([, owner]) => owner === domain).map(([entityId]) => entityId)

  const mayRead = (entityId: string): boolean => permits(permissions.states.read, domainOf(entityId))
  /** Fails unless it may write this entity, which is its own from now on. */
  const own = Effect.fnUntraced(function* (given: string) {
    const entityId = given.toLowerCase()
    yield* demand(isEntityId(entityId), `"${given.slice(0, 80)}" is no entity id.`)
    const allowed = permits(permissions.states.write, domainOf(entityId))
    yield* demand(
      allowed,
      `it may not write ${entityId}: permissions.states.write does not name ${domainOf(entityId)}.`,
    )
    const owner = owners.get(entityId)
    yield* demand(owner === undefined || owner === domain, `${entityId} is of the plugin ${owner}.`)
    if (owner === undefined) {
      yield* demand(entityIds().length < limits.entities, `it has ${limits.entities} entities already.`)
      owners.set(entityId, domain)
    }
    return entityId
  })
  const contextOf = (given: HomeContext | undefined) => {
    const served = given === undefined ? undefined : serving.get(given.id)
    return served === undefined ? runtime.context(null) : Effect.succeed(served)
  }

  const set: Desk["set"] = Effect.fnUntraced(function* (given, { attributes, forceUpdate = false, state }, context) {
    const entityId = yield* own(given)
    const length = JSON.stringify(attributes).length
    yield* demand(length <= attributesLengthMax, `the attributes of ${entityId} have ${length} characters.`)
    yield* runtime.write(entityId, { state, attributes, forceUpdate, context: yield* contextOf(context) })
  })

  const unregisterService: Desk["unregisterService"] = Effect.fnUntraced(function* (name) {
    const service = services.get(name)
    services.delete(name)
    if (service !== undefined) yield* registry.unregister(service)
  })

  const clear: Desk["clear"] = Effect.fnUntraced(function* (keep) {
    for (const end of listeners) end()
    listeners.clear()
    for (const name of [...services.keys()]) yield* Effect.ignore(unregisterService(name))
    const replica = yield* runtime.replica
    const context = yield* runtime.context(null)
    for (const entityId of entityIds()) {
      const present = replica.one(entityId)
      if (present === null) continue
      if (keep || registered.has(entityId)) {
        const order = { ...unavailableOf(present), forceUpdate: false, context }
        yield* Effect.ignore(runtime.write(entityId, order))
      } else {
        yield* runtime.remove(entityId, context)
        owners.delete(entityId)
      }
    }
  })

  const ownDevices = ownDevicesOf(registries, domain)
  const withdraw: Desk["withdraw"] = Effect.fnUntraced(function* (given) {
    const entityId = yield* own(given)
    owners.delete(entityId)
    if ((yield* runtime.replica).one(entityId) !== null) yield* runtime.remove(entityId, yield* runtime.context(null))
  })

  const removeDevice: Desk["removeDevice"] = Effect.fnUntraced(function* (deviceId) {
    const found = (yield* ownDevices).find(({ device }) => device.deviceId === deviceId)
    if (found === undefined) return
    const context = yield* runtime.context(null)
    for (const entityId of found.entityIds) {
      yield* withdraw(entityId)
      registered.delete(entityId)
    }
    yield* registries.remove("entity", found.entityIds, context)
    yield* registries.remove("device", [deviceId], context)
    devices.delete(deviceId)
  })

  return {
    domain,
    entityIds,
    clear,
    set,
    devices: ownDevices,
    removeDevice,
    withdraw,
    get: (entityId) =>
      mayRead(entityId.toLowerCase())
        ? Effect.map(runtime.replica, (replica) => replica.one(entityId.toLowerCase()))
        : no(`it may not see ${entityId}: permissions.states.read does not name its domain.`),
    all: Effect.map(runtime.replica, (replica) => replica.all().filter(({ entityId }) => mayRead(entityId))),
    remove: Effect.fnUntraced(function* (given, context) {
      const entityId = yield* own(given)
      owners.delete(entityId)
      if (registered.delete(entityId)) yield* registries.remove("entity", [entityId], yield* contextOf(context))
      return yield* runtime.remove(entityId, yield* contextOf(context))
    }),
    registerEntity: Effect.fnUntraced(function* (order) {
      const entityId = yield* own(order.entityId)
      registered.add(entityId)
      const entry = { ...entityDefaults, ...order, entityId, platform: domain }
      yield* registries.put("entity", [entry], yield* runtime.context(null))
    }),
    registerDevice: Effect.fnUntraced(function* (order) {
      const named = order.identifiers.length > 0 && order.identifiers.every(([of]) => of === domain)
      yield* demand(named, `the identifiers of a device begin with "${domain}".`)
      yield* demand(order.deviceId.startsWith(`${domain}-`), `the id of a device begins with "${domain}-".`)
      devices.add(order.deviceId)
      yield* demand(devices.size <= limits.devices, `it has ${limits.devices} devices already.`)
      yield* registries.put("device", [{ ...deviceDefaults, ...order }], yield* runtime.context(null))
    }),
    registerService: Effect.fnUntraced(function* (service) {
      yield* demand(service.domain === domain, `its services are of its own domain, not of ${service.domain}.`)
      const room = services.has(service.name) || services.size < limits.services
      yield* demand(room, `it has ${limits.services} services already.`)
      services.set(service.name, service)
      yield* registry.register(service)
    }),
    unregisterService,
    call: Effect.fnUntraced(function* (of, service, data, returnResponse) {
      const allowed = of === domain || permitsCall(permissions.services, of, service)
      yield* demand(allowed, `it may not call ${of}.${service}: permissions.services does not name it.`)
      return yield* registry.call({ domain: of, service, data, returnResponse, context: yield* runtime.context(null) })
    }),
    hasService: registry.has,
    fire: Effect.fnUntraced(function* (eventType, data) {
      const allowed = permissions.events.fire.includes(eventType)
      yield* demand(allowed, `it may not fire ${eventType}: permissions.events.fire does not name it.`)
      yield* runtime.fire({ eventType, data, origin: "LOCAL", context: yield* runtime.context(null) })
    }),
    listen: Effect.fnUntraced(function* (eventType, listener) {
      const ofStates = eventType === stateChanged || eventType === stateReported
      const allowed = ofStates || permissions.events.subscribe.includes(eventType)
      yield* demand(allowed, `it may not hear ${eventType}: permissions.events.subscribe does not name it.`)
      yield* demand(listeners.size < limits.listeners, `it has ${limits.listeners} listeners already.`)
      const end = (yield* runtime.replica).listen((entries) => {
        for (const entry of entries) {
          if (eventTypeOf(entry) === eventType && (entry.kind === "fired" || mayRead(entry.entityId))) listener(entry)
        }
      })
      listeners.add(end)
      return () => {
        listeners.delete(end)
        end()
      }
    }),
  } satisfies Desk
})
