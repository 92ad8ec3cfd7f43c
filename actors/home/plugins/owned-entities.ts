/**
 * The entities and devices of one plugin: it writes those whose domain its manifest permits and that no other plugin owns.
 */
import { Effect } from "effect"
import {
  domainOf,
  type EntityState,
  type HomeContext,
  isEntityId,
  type JsonObject,
} from "../../../protocols/domain/home.ts"
import type { InvalidEntityId, InvalidEntityState, ServiceFailure } from "../../../protocols/domain/home-failure.ts"
import { type GrantedPermissions, RuntimeError } from "../../../protocols/domain/plugin.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { permits } from "./home-permissions.ts"
import { type OwnDevice, ownDevicesOf } from "./own-devices.ts"
import {
  areaDefaults,
  type AreaOrder,
  deviceDefaults,
  type DeviceOrder,
  entityDefaults,
  type EntityOrder,
} from "./registry-entries.ts"

/** Maximum numbers of one plugin at a time. */
const limits = { entities: 5_000, devices: 500 } as const
/** Longest attributes of an entity, in characters of JSON. */
const attributesLengthMax = 262_144

/** The domain of the plugin that owns an entity, by entity id; shared by all plugins of the host. */
export type Owners = Map<string, string>

export type CapabilityFailure = RuntimeError | HomeUnavailable | ServiceFailure | InvalidEntityId | InvalidEntityState

export interface NewState {
  readonly state: string
  readonly attributes: JsonObject
  readonly forceUpdate?: boolean
}

/** The identity and permissions of a plugin. */
export interface PluginIdentity {
  readonly domain: string
  readonly permissions: GrantedPermissions
  /** The contexts of the service calls that the plugin handles now. */
  readonly serving: ReadonlyMap<string, HomeContext>
}

/** A plugin's action that its manifest or a limit does not permit. */
const notPermitted = (domain: string, message: string) =>
  Effect.fail(new RuntimeError({ domain, message: `${domain}: ${message}` }))

/** Fails with `message` unless `holds`. */
export const demand = (domain: string, holds: boolean, message: string): Effect.Effect<void, RuntimeError> =>
  holds ? Effect.void : notPermitted(domain, message)

/**
 * Attributes that an entity keeps while it is unavailable: those that describe it, without its measurements. The MQTT mirror leaves out entities
 * of a node, and decides by the class about the others, so it must see both.
 */
const lasting = [
  ...["friendly_name", "device_class", "icon", "supported_features", "unit_of_measurement", "state_class"],
  ...["node_id", "environment_id", "privacy_class"],
]

/** What an entity becomes when its plugin ends. `last_state` is what it was before, for the plugin's next run. */
export const unavailableOf = ({ attributes, state }: EntityState): NewState => ({
  state: "unavailable",
  attributes: {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => lasting.includes(name))),
    last_state: state === "unavailable" ? attributes["last_state"] ?? null : state,
    restored: true,
  },
})

export class OwnedEntities {
  readonly #identity: PluginIdentity
  readonly #owners: Owners
  readonly #runtime: HomeRuntime["Service"]
  readonly #registries: HomeRegistries["Service"]
  /** Registered entities, of this run or an earlier one. */
  readonly #registered: Set<string>
  readonly #registeredDevices = new Set<string>()

  constructor(parts: {
    readonly identity: PluginIdentity
    readonly owners: Owners
    readonly runtime: HomeRuntime["Service"]
    readonly registries: HomeRegistries["Service"]
    readonly registered: Set<string>
  }) {
    this.#identity = parts.identity
    this.#owners = parts.owners
    this.#runtime = parts.runtime
    this.#registries = parts.registries
    this.#registered = parts.registered
  }

  ids(): ReadonlyArray<string> {
    return [...this.#owners].filter(([, owner]) => owner === this.#identity.domain).map(([entityId]) => entityId)
  }

  mayRead(entityId: string): boolean {
    return permits(this.#identity.permissions.states.read, domainOf(entityId))
  }

  get(given: string): Effect.Effect<EntityState | null, CapabilityFailure> {
    const entityId = given.toLowerCase()
    return this.mayRead(entityId)
      ? Effect.map(this.#runtime.replica, (replica) => replica.one(entityId))
      : notPermitted(
        this.#identity.domain,
        `it may not read ${given}: permissions.states.read does not name its domain.`,
      )
  }

  all(): Effect.Effect<ReadonlyArray<EntityState>, CapabilityFailure> {
    return Effect.map(
      this.#runtime.replica,
      (replica) => replica.all().filter(({ entityId }) => this.mayRead(entityId)),
    )
  }

  devices(): Effect.Effect<ReadonlyArray<OwnDevice>, CapabilityFailure> {
    return ownDevicesOf(this.#registries, this.#identity.domain)
  }

  readonly set = Effect.fnUntraced({ self: this }, function* (
    this: OwnedEntities,
    given: string,
    { attributes, forceUpdate = false, state }: NewState,
    context: HomeContext | undefined,
  ) {
    const entityId = yield* this.#own(given)
    const { length } = JSON.stringify(attributes)
    yield* demand(
      this.#identity.domain,
      length <= attributesLengthMax,
      `the attributes of ${entityId} have ${length} characters; at most ${attributesLengthMax} are allowed.`,
    )
    const order = { state, attributes, forceUpdate, context: yield* this.#contextOf(context) }
    yield* this.#runtime.write(entityId, order)
  })

  /** Removes an entity and its registration. */
  readonly remove = Effect.fnUntraced(
    { self: this },
    function* (this: OwnedEntities, given: string, context: HomeContext | undefined) {
      const entityId = yield* this.#own(given)
      this.#owners.delete(entityId)
      if (this.#registered.delete(entityId)) {
        yield* this.#registries.remove("entity", [entityId], yield* this.#contextOf(context))
      }
      return yield* this.#runtime.remove(entityId, yield* this.#contextOf(context))
    },
  )

  /** Removes the state of an entity; its registration stays. */
  readonly withdraw = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, given: string) {
    const entityId = yield* this.#own(given)
    this.#owners.delete(entityId)
    const replica = yield* this.#runtime.replica
    if (replica.one(entityId) !== null) {
      yield* this.#runtime.remove(entityId, yield* this.#runtime.context(null))
    }
  })

  readonly register = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, order: EntityOrder) {
    const entityId = yield* this.#own(order.entityId)
    this.#registered.add(entityId)
    const entry = { ...entityDefaults, ...order, entityId, platform: this.#identity.domain }
    yield* this.#registries.put("entity", [entry], yield* this.#runtime.context(null))
  })

  readonly registerDevice = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, order: DeviceOrder) {
    const { domain } = this.#identity
    const isNamed = order.identifiers.length > 0 && order.identifiers.every(([of]) => of === domain)
    yield* demand(domain, isNamed, `the identifiers of a device must begin with "${domain}".`)
    yield* demand(domain, order.deviceId.startsWith(`${domain}-`), `the id of a device must begin with "${domain}-".`)
    this.#registeredDevices.add(order.deviceId)
    const hasRoom = this.#registeredDevices.size <= limits.devices
    yield* demand(domain, hasRoom, `it has ${limits.devices} devices already.`)
    yield* this.#registries.put("device", [{ ...deviceDefaults, ...order }], yield* this.#runtime.context(null))
  })

  /** Registers an area. One that exists stays as it is: its user may have renamed it. */
  readonly registerArea = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, order: AreaOrder) {
    const { domain } = this.#identity
    yield* demand(domain, order.areaId.startsWith(`${domain}_`), `the id of an area must begin with "${domain}_".`)
    const known = (yield* this.#registries.list("area")).some(({ entry }) => entry.areaId === order.areaId)
    if (known) return
    yield* this.#registries.put("area", [{ ...areaDefaults, ...order }], yield* this.#runtime.context(null))
  })

  /** Removes a device and its entities, and the plugin's area that it leaves empty. */
  readonly removeDevice = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, deviceId: string) {
    const found = (yield* this.devices()).find(({ device }) => device.deviceId === deviceId)
    if (found === undefined) return
    const context = yield* this.#runtime.context(null)
    for (const entityId of found.entityIds) {
      yield* this.withdraw(entityId)
      this.#registered.delete(entityId)
    }
    yield* this.#registries.remove("entity", found.entityIds, context)
    yield* this.#registries.remove("device", [deviceId], context)
    this.#registeredDevices.delete(deviceId)
    const { areaId } = found.device
    if (areaId === null || !areaId.startsWith(`${this.#identity.domain}_`)) return
    const isInUse = (yield* this.#registries.list("device")).some(({ entry }) => entry.areaId === areaId)
    if (!isInUse) yield* this.#registries.remove("area", [areaId], context)
  })

  /** Makes registered entities unavailable, and removes the others, unless they are to be kept as unavailable. */
  readonly clear = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, keep: boolean) {
    const runtime = this.#runtime
    const replica = yield* runtime.replica
    const context = yield* runtime.context(null)
    for (const entityId of this.ids()) {
      const present = replica.one(entityId)
      if (present === null) continue
      if (keep || this.#registered.has(entityId)) {
        const order = { ...unavailableOf(present), forceUpdate: false, context }
        yield* Effect.ignore(runtime.write(entityId, order))
      } else {
        yield* runtime.remove(entityId, context)
        this.#owners.delete(entityId)
      }
    }
  })

  /** Returns the entity's id in lower case, and makes the plugin its owner. Fails if the plugin may not write it. */
  readonly #own = Effect.fnUntraced({ self: this }, function* (this: OwnedEntities, given: string) {
    const { domain, permissions } = this.#identity
    const entityId = given.toLowerCase()
    const entityDomain = domainOf(entityId)
    yield* demand(domain, isEntityId(entityId), `"${given.slice(0, 80)}" is no entity id.`)
    yield* demand(
      domain,
      permits(permissions.states.write, entityDomain),
      `it may not write ${entityId}: permissions.states.write does not name ${entityDomain}.`,
    )
    const owner = this.#owners.get(entityId)
    yield* demand(domain, owner === undefined || owner === domain, `${entityId} is of the plugin ${owner}.`)
    if (owner === undefined) {
      const hasRoom = this.ids().length < limits.entities
      yield* demand(domain, hasRoom, `it has ${limits.entities} entities already.`)
      this.#owners.set(entityId, domain)
    }
    return entityId
  })

  /** The context of a call that the plugin handles now, else a new one. */
  #contextOf(given: HomeContext | undefined): Effect.Effect<HomeContext> {
    const served = given === undefined ? undefined : this.#identity.serving.get(given.id)
    return served === undefined ? this.#runtime.context(null) : Effect.succeed(served)
  }
}
