/**
 * The MQTT mirror: publishes the home's entities to a broker, where any Home Assistant discovers them and can command them.
 *
 * Boundary: `entity-messages.ts` defines the messages of an entity, `published-entities.ts` finds the changes; the connection is behind the
 * port `MqttLink`.
 *
 * Invariants:
 * 1. Only changes are published: each topic's newest payload, once.
 * 2. An entity that is removed is withdrawn from the broker; so is one that an earlier run announced and that no longer exists. While it is
 *    registered it is only offline, without its last state.
 * 3. A command is performed as a service call; a retained command is old and is ignored. A button or a number calls only a service of the
 *    plugin that registered it, so no plugin gets the permissions of the mirror.
 * 4. An entity is first announced after the registries were read: Home Assistant keeps the first device that an entity had.
 */
import { Effect, FiberSet, Queue, Random } from "effect"
import { type BusEntry, stateChanged } from "../../../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../../../protocols/ports/home-registries.ts"
import { type MqttIncoming, MqttLink, type MqttMessage } from "../../../../../protocols/ports/mqtt-link.ts"
import type { BuiltInSetup } from "../../built-ins.ts"
import type { Capabilities } from "../../plugin-capabilities.ts"
import {
  announcedAmong,
  availability,
  commandedEntity,
  commandOf,
  type MirrorNames,
  type Registration,
  retained,
  subscriptions,
  withdrawals,
} from "./entity-messages.ts"
import { entitiesMax, PublishedEntities } from "./published-entities.ts"

/** Milliseconds until entities are announced again after Home Assistant's birth message, so that devices do not all answer at once. */
const birthDelayMs = { least: 500, most: 3_000 }
/** How long new and renamed entities are collected before the registries are read for them. */
const gatherFor = "500 millis"
const retryAfter = "5 seconds"
const registryEvents = ["entity_registry_updated", "device_registry_updated"]
/** How long after the start the leftovers of an earlier run are withdrawn: their plugin may not be set up yet. */
const formerAfter = "60 seconds"
/** Commands that run at a time; further ones are rejected. */
const commandsMax = 64

type Publish = (messages: ReadonlyArray<MqttMessage>) => void

/** A running mirror. */
interface Mirror {
  readonly capabilities: Capabilities
  readonly names: MirrorNames
  readonly entities: PublishedEntities
  readonly registrations: Registrations
  /** Work that ends with the plugin. */
  readonly work: FiberSet.FiberSet
  /** Takes a `null` when entities or their registrations changed. */
  readonly changes: Queue.Queue<null>
  /** What an earlier run announced, by config topic. */
  readonly former: Map<string, MqttMessage>
  /** Publishes nothing until the link is open. */
  publish: Publish
}

/** The names and devices of entities, as last read. */
interface Registrations {
  readonly read: Effect.Effect<void, Effect.Error<ReturnType<HomeRegistries["Service"]["list"]>>>
  readonly of: (entityId: string) => Registration
  readonly ids: () => ReadonlyArray<string>
}

const makeRegistrations = (registries: HomeRegistries["Service"]): Registrations => {
  let known = new Map<string, Registration>()
  return {
    read: Effect.gen(function* () {
      const [entities, devices] = yield* Effect.all([registries.list("entity"), registries.list("device")])
      const byId = new Map(devices.map(({ entry }) => [entry.deviceId, entry]))
      known = new Map(entities.map(({ entry }) => [entry.entityId, {
        entity: entry,
        device: entry.deviceId === null ? null : byId.get(entry.deviceId) ?? null,
      }]))
    }),
    of: (entityId) => known.get(entityId) ?? { entity: null, device: null },
    ids: () => [...known.keys()],
  }
}

const isSwitchable = (capabilities: Capabilities) => (domain: string): boolean =>
  capabilities.hasService(domain, "turn_on") && capabilities.hasService(domain, "turn_off")

const makeMirror = Effect.fnUntraced(function* (capabilities: Capabilities, names: MirrorNames, version: string) {
  const registrations = makeRegistrations(yield* HomeRegistries)
  const mirror: Mirror = {
    capabilities,
    names,
    registrations,
    entities: new PublishedEntities({
      names,
      version,
      registrationOf: registrations.of,
      switchable: isSwitchable(capabilities),
    }),
    work: yield* FiberSet.make(),
    changes: yield* Queue.sliding<null>(1),
    former: new Map(),
    publish: () => {},
  }
  return mirror
})

/** The messages of all entities, as a broker without any of them needs. */
const greetingOf = ({ entities }: Mirror) => Effect.sync(() => entities.all())

/** Performs a command from the broker. */
const command = Effect.fnUntraced(function* (
  { capabilities, names, registrations, work }: Mirror,
  { kept, payload, topic }: MqttIncoming,
) {
  const entityId = kept ? null : commandedEntity(names, topic)
  if (entityId === null) return
  const state = yield* Effect.orElseSucceed(capabilities.get(entityId), () => null)
  const platform = registrations.of(entityId).entity?.platform ?? null
  const call = commandOf(entityId, payload, isSwitchable(capabilities), { state, platform })
  if (call === null) return
  if (typeof call === "string") return yield* Effect.logWarning(`MQTT command rejected: ${call}`)
  const called = capabilities.call(call.domain, call.service, call.data, false).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`MQTT command failed: ${message}`)),
  )
  yield* (yield* FiberSet.size(work)) < commandsMax
    ? FiberSet.run(work, called)
    : Effect.logWarning(`MQTT command rejected: ${commandsMax} commands are running`)
})

/** Remembers a config of an earlier run, and withdraws later what is left of them without a registration. */
const rememberFormer = (mirror: Mirror, { payload, topic }: MqttIncoming): Effect.Effect<void> => {
  const { entities, former, registrations, work } = mirror
  if (former.size >= entitiesMax) return Effect.void
  former.set(topic, retained(topic, payload))
  if (former.size > 1) return Effect.void
  const withdraw = Effect.sync(() => {
    const published = new Set(entities.all().map(({ topic }) => topic))
    const left = [...former.values()].filter(({ topic }) => !published.has(topic))
    former.clear()
    const entityOf = announcedAmong(registrations.ids())
    mirror.publish(left.flatMap((config) => {
      const registered = entityOf(config.topic)
      return registered === null ? withdrawals([config]) : entities.keep(registered, config)
    }))
  })
  return Effect.asVoid(FiberSet.run(work, Effect.andThen(Effect.sleep(formerAfter), withdraw)))
}

/** Handles a message of the broker: a birth message, a config topic or a command. */
const handle = (mirror: Mirror) =>
  Effect.fnUntraced(function* (message: MqttIncoming) {
    const { kept, payload, topic } = message
    if (topic === `${mirror.names.discoveryPrefix}/status`) {
      if (payload !== "online" || kept) return
      const delayMs = yield* Random.nextBetween(birthDelayMs.least, birthDelayMs.most)
      const again = Effect.map(greetingOf(mirror), (messages) =>
        mirror.publish([availability(mirror.names, "online"), ...messages]))
      yield* FiberSet.run(mirror.work, Effect.andThen(Effect.sleep(delayMs), again))
    } else if (topic.endsWith("/config")) {
      if (payload !== "") {
        yield* rememberFormer(mirror, message)
      }
    } else yield* command(mirror, message)
  })

/** Reads the registries, then publishes the entities that existed before. */
const publishAll = (mirror: Mirror) =>
  Effect.gen(function* () {
    const { capabilities, entities, registrations } = mirror
    const present = new Set((yield* capabilities.all).map(({ entityId }) => entityId))
    yield* registrations.read
    const all = yield* capabilities.all
    const states = all.filter(({ entityId }) => present.has(entityId))
    const ids = new Set(all.map(({ entityId }) => entityId))
    mirror.publish([...states.flatMap((state) => entities.update(state)), ...entities.prune((id) => ids.has(id))])
  })

/** Publishes a change, or notes that a new entity waits for the registries. */
const onChange = (mirror: Mirror) => (entry: BusEntry): void => {
  if (entry.kind !== "changed") return
  const { entityId, newState } = entry
  const { changes, entities } = mirror
  if (newState === null) mirror.publish(entities.remove(entityId))
  else if (entities.isNew(newState)) Queue.offerUnsafe(changes, null)
  else mirror.publish(entities.update(newState))
}

/** Publishes all entities after each change of them or their registrations, until the scope ends. */
const publishChanges = (mirror: Mirror) =>
  Queue.take(mirror.changes).pipe(
    Effect.andThen(Effect.sleep(gatherFor)),
    Effect.andThen(publishAll(mirror)),
    Effect.catch(({ message }) =>
      Effect.logDebug(`the MQTT mirror could not read the registries: ${message}`).pipe(
        Effect.andThen(Effect.sleep(retryAfter)),
        Effect.andThen(Effect.sync(() => void Queue.offerUnsafe(mirror.changes, null))),
      )
    ),
    Effect.forever,
  )

/** The plugin's setup, over the link in context; `version` is that of this service. */
export const mqttMirror = Effect.fnUntraced(function* (version: string) {
  const link = yield* MqttLink
  const registries = yield* HomeRegistries
  return (({ capabilities }) =>
    Effect.gen(function* () {
      const names: MirrorNames = { base: link.base, discoveryPrefix: link.discoveryPrefix }
      const mirror = yield* makeMirror(capabilities, names, version).pipe(
        Effect.provideService(HomeRegistries, registries),
      )
      yield* publishAll(mirror)
      const { publish } = yield* link.open({
        name: "home",
        will: availability(names, "offline"),
        birth: availability(names, "online"),
        subscriptions: subscriptions(names),
        greeting: greetingOf(mirror),
        incoming: handle(mirror),
      })
      mirror.publish = publish
      yield* capabilities.listen(stateChanged, onChange(mirror))
      for (const type of registryEvents) {
        yield* capabilities.listen(type, () => void Queue.offerUnsafe(mirror.changes, null))
      }
      yield* Effect.forkScoped(publishChanges(mirror))
    })) satisfies BuiltInSetup
})
