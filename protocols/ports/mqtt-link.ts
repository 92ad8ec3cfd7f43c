/**
 * A link to an MQTT broker that is kept for as long as somebody wants it: the port by which actors speak MQTT.
 */
import { Context, type Effect, type Scope } from "effect"

/** What is to be published on a topic. */
export interface MqttMessage {
  readonly topic: string
  /** Empty with `retain`: the broker forgets what it keeps. */
  readonly payload: string
  readonly retain: boolean
  /** Seconds after which a broker that speaks MQTT 5 need not deliver it any more; null: always. */
  readonly expiryS: number | null
  /** It goes before the next message of its topic, which does not supersede it. */
  readonly prelude: boolean
}

/** A message of the broker's. */
export interface MqttIncoming {
  readonly topic: string
  readonly payload: string
  /** It was kept by the broker, and is not of now. */
  readonly kept: boolean
}

interface MqttLinkOptions {
  /** Of this use of the link; the broker knows it by it. */
  readonly name: string
  /** Published by the broker when the connection breaks, and by the link when it ends. */
  readonly will: MqttMessage
  readonly subscriptions: ReadonlyArray<string>
  /** Everything that is to be said at the beginning of every connection. */
  readonly greeting: Effect.Effect<ReadonlyArray<MqttMessage>>
  /** Told of the broker's messages, one after the other. */
  readonly incoming: (message: MqttIncoming) => Effect.Effect<void>
}

export class MqttLink extends Context.Service<MqttLink, {
  /** First level of this service's own topics, and of Home Assistant's discovery. */
  readonly base: string
  readonly discoveryPrefix: string
  /**
   * Connects, and connects again for as long as the scope is open. What is published while nothing is connected waits, of each topic the
   * newest, with a bound.
   */
  readonly open: (
    options: MqttLinkOptions,
  ) => Effect.Effect<{ readonly publish: (messages: ReadonlyArray<MqttMessage>) => void }, never, Scope.Scope>
}>()("wavepose/protocols/MqttLink") {}
