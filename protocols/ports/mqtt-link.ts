/**
 * A link to an MQTT broker, which reconnects while its scope is open: the port through which actors use MQTT.
 */
import { Context, type Effect, type Scope } from "effect"

/** A message to publish. */
export interface MqttMessage {
  readonly topic: string
  /** Empty with `retain`: the broker deletes the retained message. */
  readonly payload: string
  readonly retain: boolean
  /** Seconds until it expires on brokers with MQTT 5; null: never. */
  readonly expiryS: number | null
  /** Sent before the next message of its topic, which does not replace it. */
  readonly prelude: boolean
}

/** A message from the broker. */
export interface MqttIncoming {
  readonly topic: string
  readonly payload: string
  /** Whether it was retained by the broker, and so is not new. */
  readonly kept: boolean
}

interface MqttLinkOptions {
  /** The client id of this link at the broker. */
  readonly name: string
  /** Published by the broker when the connection breaks, and by the link when it ends. */
  readonly will: MqttMessage
  /** Published on the will's topic at the beginning of every connection, and after the will of an earlier link. */
  readonly birth: MqttMessage
  readonly subscriptions: ReadonlyArray<string>
  /** The messages to publish at the beginning of every connection, after the birth. */
  readonly greeting: Effect.Effect<ReadonlyArray<MqttMessage>>
  /** Called with the broker's messages, one after the other. */
  readonly incoming: (message: MqttIncoming) => Effect.Effect<void>
}

export class MqttLink extends Context.Service<MqttLink, {
  /** First level of this service's own topics, and of Home Assistant's discovery. */
  readonly base: string
  readonly discoveryPrefix: string
  /**
   * Connects, and connects again for as long as the scope is open. While disconnected, the newest message of each topic is queued,
   * with a bound.
   */
  readonly open: (
    options: MqttLinkOptions,
  ) => Effect.Effect<{ readonly publish: (messages: ReadonlyArray<MqttMessage>) => void }, never, Scope.Scope>
}>()("wavepose/protocols/MqttLink") {}
