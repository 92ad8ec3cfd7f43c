/**
 * Implements the port `MqttLink`: broker sessions for parts of the service other than the publisher of nodes.
 */
import { Effect, Layer } from "effect"
import { MqttLink } from "../../protocols/ports/mqtt-link.ts"
import type { BrokerAddress } from "./broker-address.ts"
import { makeSession } from "./session.ts"
import type { TopicNames } from "./topics.ts"

interface LinkSettings extends TopicNames {
  readonly address: BrokerAddress
  readonly caPem: string | null
  /** Whether the configuration enables MQTT; polled. */
  readonly enabled: Effect.Effect<boolean>
}

/** The port for this broker. */
export const layerMqttLink = (
  { address, base, caPem, discoveryPrefix, enabled }: LinkSettings,
): Layer.Layer<MqttLink> =>
  Layer.succeed(MqttLink, {
    base,
    discoveryPrefix,
    open: Effect.fnUntraced(function* ({ name, ...options }) {
      const session = yield* makeSession({
        ...options,
        address,
        caPem,
        name,
        clientName: `${base}-${name}`,
        connected: Effect.void,
        disconnected: () => Effect.void,
        enabled,
      })
      yield* Effect.forkScoped(session.run)
      return { publish: session.publish }
    }),
  })
