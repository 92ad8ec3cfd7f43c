/**
 * The MQTT mirror: the home's own entities in any Home Assistant on the same broker, which finds them by itself and commands those that can be.
 *
 * Boundary: what is said of an entity is `mirrored.ts`; the connection is behind the port `MqttLink`.
 *
 * Invariants:
 * 1. What is published is what changed: each topic's newest payload, once.
 * 2. An entity that is gone, and one that an earlier life announced and that is not there any more, is withdrawn from the broker.
 * 3. A command is done as a service call; one that the broker kept is of the past and not done.
 * 4. An entity is first announced after the registries were read that have it: Home Assistant keeps the device that an entity first had.
 */
import { Effect, FiberSet, Queue, Random } from "effect"
import { type EntityState, stateChanged } from "../../../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../../../protocols/ports/home-registries.ts"
import { type MqttIncoming, MqttLink, type MqttMessage } from "../../../../../protocols/ports/mqtt-link.ts"
import type { BuiltInSetup } from "../../built-ins.ts"
import {
  availability,
  commandOf,
  mirrored,
  type MirrorNames,
  type Registration,
  subscriptions,
  withdrawn,
} from "./mirrored.ts"

/** Entities that are mirrored; more are left out. */
const entitiesMax = 5_000
/** After Home Assistant's birth message, so that not every device speaks at once: milliseconds. */
const birthDelayMs = { least: 500, most: 3_000 }
/** How long entities that came, or were named anew, are gathered before the registries are read for them. */
const gatherFor = "500 millis"
const retryAfter = "5 seconds"
const renamed = ["entity_registry_updated", "device_registry_updated"]
/** What an earlier life announced is withdrawn after so long: the plugin that had it may just not be set up yet. */
const formerAfter = "60 seconds"
/** Commands that run at a time; more are refused. */
const commandsMax = 64

/** What was published of each entity, by topic. */
const makeMirror = (
  names: MirrorNames,
  registrationOf: (entityId: string) => Registration,
  switchable: (domain: string) => boolean,
  version: string,
) => {
  const published = new Map<string, ReadonlyArray<MqttMessage>>()
  const messagesOf = (state: EntityState) => mirrored(names, state, registrationOf(state.entityId), switchable, version)
  return {
    /** Whether it is to be announced, and was not yet. */
    isNew: (state: EntityState): boolean =>
      !published.has(state.entityId) && published.size < entitiesMax && messagesOf(state).length > 0,
    /** What is new since the last time. */
    show: (state: EntityState): ReadonlyArray<MqttMessage> => {
      const { entityId } = state
      const before = published.get(entityId)
      if (before === undefined && published.size >= entitiesMax) return []
      const messages = messagesOf(state)
      const gone = (before ?? []).filter(({ topic }) => !messages.some((message) => message.topic === topic))
      if (messages.length === 0) published.delete(entityId)
      else published.set(entityId, messages)
      const fresh = messages.filter(({ payload, topic }) =>
        !before?.some((message) => message.topic === topic && message.payload === payload)
      )
      return [...withdrawn(gone), ...fresh]
    },
    remove: (entityId: string): ReadonlyArray<MqttMessage> => {
      const messages = published.get(entityId) ?? []
      published.delete(entityId)
      return withdrawn(messages)
    },
    all: (): ReadonlyArray<MqttMessage> => [...published.values()].flat(),
    isOurs: (topic: string): boolean =>
      [...published.values()].some((messages) => messages.some((message) => message.topic === topic)),
  }
}

/** The names and devices of entities, as they were last read. */
const makeRegistrations = Effect.gen(function* () {
  const registries = yield* HomeRegistries
  let known = new Map<string, Registration>()
  const read = Effect.gen(function* () {
    const [entities, devices] = yield* Effect.all([registries.list("entity"), registries.list("device")])
    const byId = new Map(devices.map(({ entry }) => [entry.deviceId, entry]))
    known = new Map(entities.map(({ entry }) => [entry.entityId, {
      entity: entry,
      device: entry.deviceId === null ? null : byId.get(entry.deviceId) ?? null,
    }]))
  })
  return { read, of: (entityId: string) => known.get(entityId) ?? { entity: null, device: null } }
})

/** The plugin's setup, over the link in context; `version` is of this service. */
export const mqttMirror = Effect.fnUntraced(function* (version: string) {
  const link = yield* MqttLink
  const registries = yield* HomeRegistries

  return ((home) =>
    Effect.gen(function* () {
      const { desk } = home
      const names: MirrorNames = { base: link.base, discoveryPrefix: link.discoveryPrefix }
      const registrations = yield* makeRegistrations.pipe(Effect.provideService(HomeRegistries, registries))
      const switchable = (domain: string) => desk.hasService(domain, "turn_on") && desk.hasService(domain, "turn_off")
      const mirror = makeMirror(names, registrations.of, switchable, version)
      const commands = yield* FiberSet.make()

      const news = yield* Queue.sliding<null>(1)
      const greeting = Effect.sync(() => [availability(names, "online"), ...mirror.all()])
      const command = ({ kept, payload, topic }: MqttIncoming) => {
        const meant = kept ? null : commandOf(names, topic, payload, switchable)
        if (meant === null) return Effect.void
        const { data, domain, service } = meant
        const called = desk.call(domain, service, data, false).pipe(
          Effect.catch(({ message }) => Effect.logWarning(`a command over MQTT was not done: ${message}`)),
        )
        return FiberSet.size(commands).pipe(
          Effect.flatMap((running) =>
            running < commandsMax
              ? Effect.asVoid(FiberSet.run(commands, called))
              : Effect.logWarning(`a command over MQTT was left out: ${commandsMax} run already`)
          ),
        )
      }
      const former = new Set<string>()
      const withdrawFormer = Effect.sync(() => {
        const gone = [...former].filter((topic) => !mirror.isOurs(topic))
        former.clear()
        publish(withdrawn(gone.map((topic) => ({ ...availability(names, "online"), topic }))))
      })
      const incoming = Effect.fnUntraced(function* (message: MqttIncoming) {
        const { kept, payload, topic } = message
        if (topic === `${names.discoveryPrefix}/status`) {
          if (payload !== "online" || kept) return
          const delayMs = yield* Random.nextBetween(birthDelayMs.least, birthDelayMs.most)
          const again = Effect.map(greeting, publish)
          yield* FiberSet.run(commands, Effect.andThen(Effect.sleep(delayMs), again))
        } else if (topic.endsWith("/config")) {
          if (payload === "" || former.size >= entitiesMax) return
          former.add(topic)
          if (former.size === 1) {
            yield* FiberSet.run(commands, Effect.andThen(Effect.sleep(formerAfter), withdrawFormer))
          }
        } else yield* command(message)
      })

      let publish: (messages: ReadonlyArray<MqttMessage>) => void = () => {}
      const look = Effect.gen(function* () {
        const there = new Set((yield* desk.all).map(({ entityId }) => entityId))
        yield* registrations.read
        const states = (yield* desk.all).filter(({ entityId }) => there.has(entityId))
        publish(states.flatMap(mirror.show))
      })
      yield* look
      const { publish: toBroker } = yield* link.open({
        name: "home",
        will: availability(names, "offline"),
        subscriptions: subscriptions(names),
        greeting,
        incoming,
      })
      publish = toBroker
      yield* desk.listen(stateChanged, (entry) => {
        if (entry.kind !== "changed") return
        const { entityId, newState } = entry
        if (newState === null) publish(mirror.remove(entityId))
        else if (mirror.isNew(newState)) Queue.offerUnsafe(news, null)
        else publish(mirror.show(newState))
      })
      for (const type of renamed) yield* desk.listen(type, () => void Queue.offerUnsafe(news, null))
      yield* Effect.forkScoped(
        Queue.take(news).pipe(
          Effect.andThen(Effect.sleep(gatherFor)),
          Effect.andThen(look),
          Effect.catch(({ message }) =>
            Effect.logDebug(`the mirror could not read the registries: ${message}`).pipe(
              Effect.andThen(Effect.sleep(retryAfter)),
              Effect.andThen(Effect.sync(() => void Queue.offerUnsafe(news, null))),
            )
          ),
          Effect.forever,
        ),
      )
    })) satisfies BuiltInSetup
})
