/**
 * The messages that the mirror has published of each entity, by topic: what a new state changes on the broker.
 */
import type { EntityState } from "../../../../../protocols/domain/home.ts"
import type { MqttMessage } from "../../../../../protocols/ports/mqtt-link.ts"
import { absence, entityMessages, type MirrorNames, type Registration, withdrawals } from "./entity-messages.ts"

/** Entities that are mirrored; further ones are left out. */
export const entitiesMax = 5_000

interface Options {
  readonly names: MirrorNames
  readonly version: string
  readonly registrationOf: (entityId: string) => Registration
  readonly switchable: (domain: string) => boolean
}

export class PublishedEntities {
  readonly #options: Options
  readonly #published = new Map<string, ReadonlyArray<MqttMessage>>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether an entity is to be announced and was not yet. */
  isNew(state: EntityState): boolean {
    return !this.#published.has(state.entityId) && this.#published.size < entitiesMax &&
      this.#messagesOf(state).length > 0
  }

  /** The messages that bring the broker to a state: those that differ from the published ones, and withdrawals. */
  update(state: EntityState): ReadonlyArray<MqttMessage> {
    const { entityId } = state
    const before = this.#published.get(entityId)
    if (before === undefined && this.#published.size >= entitiesMax) return []
    const messages = this.#messagesOf(state)
    const gone = (before ?? []).filter(({ topic }) => !messages.some((message) => message.topic === topic))
    if (messages.length === 0) this.#published.delete(entityId)
    else this.#published.set(entityId, messages)
    const fresh = messages.filter(({ payload, topic }) =>
      !before?.some((message) => message.topic === topic && message.payload === payload)
    )
    return [...withdrawals(gone), ...fresh]
  }

  /** The messages for an entity whose state was removed: a registered one stays announced, another is withdrawn. */
  remove(entityId: string): ReadonlyArray<MqttMessage> {
    const { names, registrationOf } = this.#options
    const messages = this.#published.get(entityId) ?? []
    const [config] = messages
    if (config !== undefined && registrationOf(entityId).entity !== null) {
      const without = absence(names, entityId)
      this.#published.set(entityId, [config, ...without.filter(({ payload }) => payload !== "")])
      return without
    }
    this.#published.delete(entityId)
    return withdrawals(messages)
  }

  /** The messages for a registered entity without a state that an earlier run announced: it stays announced, as one whose state was removed. */
  keep(entityId: string, config: MqttMessage): ReadonlyArray<MqttMessage> {
    if (this.#published.has(entityId)) return withdrawals([config])
    if (this.#published.size >= entitiesMax) return absence(this.#options.names, entityId)
    this.#published.set(entityId, [config])
    return this.remove(entityId)
  }

  /** The withdrawals of entities that have neither a state nor a registration any more. */
  prune(hasState: (entityId: string) => boolean): ReadonlyArray<MqttMessage> {
    const gone = [...this.#published.keys()].filter((entityId) =>
      !hasState(entityId) && this.#options.registrationOf(entityId).entity === null
    )
    return gone.flatMap((entityId) => this.remove(entityId))
  }

  all(): ReadonlyArray<MqttMessage> {
    return [...this.#published.values()].flat()
  }

  #messagesOf(state: EntityState): ReadonlyArray<MqttMessage> {
    const { names, registrationOf, switchable, version } = this.#options
    return entityMessages(names, state, registrationOf(state.entityId), switchable, version)
  }
}
